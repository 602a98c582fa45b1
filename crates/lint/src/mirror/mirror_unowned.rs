//! See `mirror_unowned.md`.

use super::grouping::{report_by_folder, synced};
use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "mirror-unowned",
    summary: "file in a mirror that sync did not write",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("mirror_unowned.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = synced(repo) else { return };
    let paths = plan.unowned.clone();
    report_by_folder(&RULE, &paths, findings, |folder, files| {
        (
            format!("not in the canon, so only this tool reads it: {files}"),
            format!("run `canonry sync --adopt {folder}` to add it to the canon; otherwise canonry leaves it alone"),
        )
    });
}
