//! See `mirror_orphan.md`.

use super::grouping::{by_skill, edits, folder_of, synced};
use crate::finding::Severity;
use crate::rules::repo_context::RepoContext;
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::RepoPath;
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    id: "mirror-orphan",
    summary: "mirrored file without a source in the canon",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_orphan.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut RawFindings) {
    let Some(decision) = synced(repo) else { return };
    let mut paths = edits(decision, |_, now| now.is_none());
    // What makes room for a link, or a link that makes room for copies, is told as what is missing.
    let written = edits(decision, |_, now| now.is_some());
    let links: BTreeSet<&RepoPath> = written.iter().filter(|path| folder_of(path) == **path).collect();
    let folders: BTreeSet<RepoPath> = written.iter().map(folder_of).collect();
    paths.retain(|path| !links.contains(&folder_of(path)) && !folders.contains(path));
    by_skill(&paths, findings, |files, mirrors| format!("no longer mirrored, and still in {mirrors}: {files}"));
}
