//! See `mirror_never_synced.md`.

use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "mirror-never-synced",
    summary: "canon is not synced",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("mirror_never_synced.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let is_new = repo.survey.as_ref().is_some_and(|survey| survey.plan.never_synced);
    let Some(first) = repo.skills.first().filter(|_| is_new) else { return };
    let finding = RULE.at(
        Location::file(&first.folder.parent().unwrap_or_default()),
        "the canon is not synced: there is no lock, and no mirror equals it",
    );
    findings.push(finding.help("run `canonry sync`"));
}
