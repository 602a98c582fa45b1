//! See `mirror_occupied.md`.

use super::grouping::{refusals, report_by_folder, report_parts, split_by_kind, synced};
use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_mirror::{RefusalReason, SyncPlan};
use canonry_model::finding::{Location, Severity};
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    id: "mirror-occupied",
    summary: "path of a mirror is occupied",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_occupied.md"),
    check: Check::Each(&[Check::Repo(check), Check::Repo(check_roots)]),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = synced(repo) else { return };
    report_parts(&RULE, plan, findings, |reason| match reason {
        RefusalReason::PartOccupied(message) => {
            Some((message.as_str(), "keep one of the two, or turn the file off under `files` in the config"))
        }
        _ => None,
    });
    report_blocked(plan, findings);
    let paths = refusals(plan, |reason| matches!(reason, RefusalReason::Occupied { .. }));
    let (paths, files) = split_by_kind(&paths);
    for file in files {
        let finding = RULE.at(
            Location::file(&file),
            format!("{file} would be generated from the canon, but a user file is in its place"),
        );
        findings.push(finding.help("keep one of the two, or turn the file off under `files` in the config"));
    }
    report_by_folder(&RULE, &paths, findings, |folder, files| {
        (
            format!("the canon mirrors a skill to {folder}, but it contains user files: {files}"),
            format!("rename one of the two skills, or run `canonry sync --adopt {folder}` to make this one canonical"),
        )
    });
}

/// One finding for each file or folder in the way, however many files it blocks.
fn report_blocked(plan: &SyncPlan, findings: &mut Vec<Finding>) {
    let mut seen = BTreeSet::new();
    for refusal in &plan.refused {
        let (at, message) = match &refusal.reason {
            RefusalReason::BlockedByFile { by } => (by, format!("the file `{by}` stands in the mirror's place")),
            RefusalReason::BlockedByFolder { .. } => {
                (&refusal.path, format!("the folder `{}` blocks a mirrored file", refusal.path))
            }
            RefusalReason::BlockedBySpecialFile { by } => {
                (by, format!("the pipe, socket or device `{by}` stands in the mirror's place"))
            }
            RefusalReason::BlockedByRepository { by } => {
                (by, format!("the other repository `{by}` stands in the mirror's place"))
            }
            _ => continue,
        };
        if seen.insert(at) {
            let finding = RULE.at(Location::file(at), message);
            findings.push(finding.help("move it away or rename it, then run `canonry sync`"));
        }
    }
}

/// Mirror root is a link or a file.
fn check_roots(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = synced(repo) else { return };
    for refusal in &plan.refused {
        if matches!(
            refusal.reason,
            RefusalReason::RootIsLink { .. } | RefusalReason::RootIsFile { .. } | RefusalReason::RootIsSubmodule { .. }
        ) {
            let finding = RULE.at(Location::file(&refusal.path), refusal.reason.to_string());
            findings
                .push(finding.help("replace it with a directory, or remove the target from `targets` in the config"));
        }
    }
}
