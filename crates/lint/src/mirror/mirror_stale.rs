//! See `mirror_stale.md`.

use super::grouping::{edits, report_by_skill, synced};
use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "mirror-stale",
    summary: "mirrored file is out of date",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_stale.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = synced(repo) else { return };
    let paths = edits(plan, |was, now| was.is_some() && now.is_some());
    report_by_skill(&RULE, &paths, findings, |files, mirrors| format!("out of date in {mirrors}: {files}"));
}
