//! See `mirror_occupied.md`.

use super::grouping::{by_folder, by_kind, parts, refusals, synced};
use crate::finding::{Location, RawFinding, Severity};
use crate::mirror::RefusalReason;
use crate::rules::repo_context::RepoContext;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mirror-occupied",
    summary: "user file at a mirror path",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_occupied.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut RawFindings) {
    let Some(decision) = synced(repo) else { return };
    parts(decision, findings, |reason| match reason {
        RefusalReason::PartOccupied(words) => {
            Some((words.as_str(), "keep one of the two, or take the switch out of `files` in the config"))
        }
        _ => None,
    });
    let paths =
        refusals(decision, |reason| matches!(reason, RefusalReason::Occupied { .. } | RefusalReason::Blocked { .. }));
    let (paths, files) = by_kind(&paths);
    for file in files {
        let finding = RawFinding::new(
            Location::file(&file),
            format!("{file} would be made from the canon, and someone's own is there"),
        );
        findings.push(finding.help("keep one of the two, or take the switch out of `files` in the config"));
    }
    by_folder(&paths, findings, |folder, files| {
        (
            format!("the canon mirrors a skill to {folder}, where someone has files of their own: {files}"),
            format!("rename one of the two skills, or `canonry sync --adopt {folder}` to make this one canonical"),
        )
    });
}
