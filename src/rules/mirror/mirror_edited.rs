//! See `mirror_edited.md`.

use super::grouping::{by_folder, by_kind, parts, refusals, synced};
use crate::finding::{Location, RawFinding, Severity};
use crate::mirror::RefusalReason;
use crate::rules::repo_context::RepoContext;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mirror-edited",
    summary: "mirrored file was edited by hand",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_edited.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoContext, findings: &mut RawFindings) {
    let Some(decision) = synced(repo) else { return };
    parts(decision, findings, |reason| match reason {
        RefusalReason::PartEdited(words) => Some((
            words.as_str(),
            "carry the edit over into the canon, then `canonry sync --force` writes it anew (a copy is kept)",
        )),
        _ => None,
    });
    let paths = refusals(decision, |reason| matches!(reason, RefusalReason::Edited | RefusalReason::EditedOrphan));
    let (paths, files) = by_kind(&paths);
    for file in files {
        let finding =
            RawFinding::new(Location::file(&file), format!("{file} is made from the canon, and was edited by hand"));
        findings.push(
            finding.help(
                "carry the edit over into the canon, then `canonry sync --force` writes it anew (a copy is kept)",
            ),
        );
    }
    by_folder(&paths, findings, |folder, files| {
        (
            format!("edited in the mirror and not in the canon: {files}"),
            format!(
                "`canonry sync --adopt {folder}` takes the edit into the canon; `canonry sync --force` drops it (a copy is kept)"
            ),
        )
    });
}
