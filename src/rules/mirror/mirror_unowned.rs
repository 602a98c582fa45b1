//! See `mirror_unowned.md`.

use super::grouping::{by_folder, synced};
use crate::finding::Severity;
use crate::rules::repo_context::RepoContext;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mirror-unowned",
    summary: "file in a mirror that sync did not write",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("mirror_unowned.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut RawFindings) {
    let Some(decision) = synced(repo) else { return };
    let paths = decision.unowned.clone();
    by_folder(&paths, findings, |folder, files| {
        (
            format!("not in the canon, so only this tool sees it: {files}"),
            format!("`canonry sync --adopt {folder}` makes it canonical; else it is left alone"),
        )
    });
}
