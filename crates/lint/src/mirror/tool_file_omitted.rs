//! See `tool_file_omitted.md`.

use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "tool-file-omitted",
    summary: "part of the canon that a tool does not get",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("tool_file_omitted.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let problems = repo.survey.iter().flat_map(|survey| &survey.tool_file_problems);
    // `tool-file-schema` reports the others, with their line.
    for problem in problems.filter(|problem| !problem.is_syntax) {
        let help = match &problem.omitted {
            Some(part) => format!(
                "change the file, disable it for the tool under `files` in the config, or accept this: add `{part}` to \
                 `files.accept_omitted`"
            ),
            None => "fix the file: until then, sync changes nothing that is made from it".to_owned(),
        };
        findings.push(RULE.at(Location::file(&problem.canon), problem.message.clone()).help(help));
    }
    for problem in repo.survey.iter().flat_map(|survey| &survey.unenforced) {
        let finding = RULE.at(Location::file(&problem.canon), problem.to_string());
        findings.push(finding.severity(Defaults::both(Severity::Info)));
    }
}
