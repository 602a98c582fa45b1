//! See `subagent_name_clash.md`.

use crate::repo_facts::{RepoFacts, SubagentSummary};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::Severity;
use canonry_text::RepoPath;
use std::collections::BTreeMap;

pub(super) static RULE: Rule = Rule {
    id: "subagent-name-clash",
    summary: "subagents with the same name",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("subagent_name_clash.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let mut by_name: BTreeMap<(&RepoPath, &str), Vec<&SubagentSummary>> = BTreeMap::new();
    for subagent in &repo.subagents {
        by_name.entry((&subagent.scope, &subagent.name)).or_default().push(subagent);
    }
    for mut same in by_name.into_values().filter(|same| same.len() > 1) {
        same.sort_by(|a, b| a.location.path.cmp(&b.location.path));
        let Some((first, others)) = same.split_first() else { continue };
        let name = &first.name;
        let message = match others.len() {
            1 => format!("another subagent is also called `{name}`; Claude Code loads only one of them"),
            count => format!("{count} other subagents are also called `{name}`; Claude Code loads only one of them"),
        };
        let finding = RULE
            .at(first.location.clone(), message)
            .help("rename or remove one: which one is loaded depends on the order of the files on disk");
        let related = |finding: Finding, other: &&SubagentSummary| finding.related(other.location.clone(), "same name");
        findings.push(others.iter().fold(finding, related));
    }
}
