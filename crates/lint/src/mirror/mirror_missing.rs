//! See `mirror_missing.md`.

use super::grouping::{edits, report_by_skill, synced};
use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::{Location, Severity};
use canonry_text::RepoPath;

pub(super) static RULE: Rule = Rule {
    id: "mirror-missing",
    summary: "file is missing from a mirror",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_missing.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = synced(repo) else { return };
    let mut paths = edits(plan, |was, now| was.is_none() && now.is_some());
    // One cause, however many files it has.
    let ignored = repo.survey.as_ref().map_or(&[][..], |survey| &survey.ignored_mirrors);
    if let Some(first) = ignored.first() {
        paths.retain(|path| !ignored.iter().any(|root| path.is_within(root)));
        let roots: Vec<String> = ignored.iter().map(RepoPath::to_display).collect();
        let message = format!("git ignores {}, so no commit has these mirrors", roots.join(", "));
        findings.push(RULE.at(Location::file(first), message).help(
            "remove the pattern from `.gitignore` (`git check-ignore -v` shows it) and run `canonry sync`, or set `files: \
             {git: {ignore: true}}` in the config: then each clone makes its own mirrors",
        ));
    }
    report_by_skill(&RULE, &paths, findings, |files, mirrors| format!("missing in {mirrors}: {files}"));
}
