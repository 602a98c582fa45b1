//! See `mirror_orphan.md`.

use super::grouping::{edits, refusals, report_by_skill, skill_folder, synced};
use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_mirror::RefusalReason;
use canonry_model::finding::Severity;
use canonry_text::RepoPath;
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    id: "mirror-orphan",
    summary: "mirrored file without a source in the canon",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_orphan.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = synced(repo) else { return };
    let mut paths = edits(plan, |_, now| now.is_none());
    // `mirror-missing` covers files that a link replaces, and links that copies replace.
    let written = edits(plan, |_, now| now.is_some());
    let links: BTreeSet<&RepoPath> = written.iter().filter(|path| skill_folder(path) == **path).collect();
    let folders: BTreeSet<RepoPath> = written.iter().map(skill_folder).collect();
    paths.retain(|path| !links.contains(&skill_folder(path)) && !folders.contains(path));
    paths.extend(refusals(plan, |reason| matches!(reason, RefusalReason::OutsideCheckout { .. })));
    report_by_skill(&RULE, &paths, findings, |files, mirrors| {
        format!("no longer in the canon, but still in {mirrors}: {files}")
    });
}
