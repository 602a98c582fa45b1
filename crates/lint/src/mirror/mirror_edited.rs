//! See `mirror_edited.md`.

use super::grouping::{refusals, report_by_folder, report_parts, split_by_kind, synced};
use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_mirror::RefusalReason;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "mirror-edited",
    summary: "mirrored file was edited by hand",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_edited.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    let Some(plan) = synced(repo) else { return };
    report_parts(&RULE, plan, findings, |reason| match reason {
        RefusalReason::PartEdited(message) => Some((
            message.as_str(),
            "apply the edit to the canon, then run `canonry sync --force`, which overwrites the file and keeps a copy",
        )),
        _ => None,
    });
    let unproved = refusals(plan, |reason| matches!(reason, RefusalReason::Differs | RefusalReason::DiffersOrphan));
    report_by_folder(&RULE, &unproved, findings, |folder, files| {
        (
            format!("differs from canon and lock: {files}"),
            format!(
                "if you restored or pulled `agent/`, this is an older sync; if you edited it, run `canonry sync --adopt {folder}`"
            ),
        )
    });
    let paths = refusals(plan, |reason| matches!(reason, RefusalReason::Edited | RefusalReason::EditedOrphan));
    let (paths, files) = split_by_kind(&paths);
    for file in files {
        let finding =
            RULE.at(Location::file(&file), format!("{file} is generated from the canon, but was edited by hand"));
        findings.push(finding.help(
            "apply the edit to the canon, then run `canonry sync --force`, which overwrites the file and keeps a copy",
        ));
    }
    report_by_folder(&RULE, &paths, findings, |folder, files| {
        (
            format!("edited in the mirror, but not in the canon: {files}"),
            format!(
                "run `canonry sync --adopt {folder}` to apply the edit to the canon; `canonry sync --force` discards it and keeps a copy"
            ),
        )
    });
}
