//! See `mirror_edited.md`.

use super::shared::{by_folder, by_kind, parts, refusals, synced};
use crate::finding::{Location, RawFinding, Severity};
use crate::mirror::RefusalReason;
use crate::rules::facts::RepoContext;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mirror-edited",
    summary: "a mirrored file that someone edited",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_edited.md"),
    check: Check::Repo(check),
};

fn check(facts: &RepoContext, drafts: &mut RawFindings) {
    let Some(decision) = synced(facts) else { return };
    parts(decision, drafts, |reason| match reason {
        RefusalReason::PartEdited(words) => Some((
            words.as_str(),
            "carry the edit over into the canon, then `canonry sync --force` writes it anew (a copy is kept)",
        )),
        _ => None,
    });
    let paths = refusals(decision, |reason| matches!(reason, RefusalReason::Edited | RefusalReason::EditedOrphan));
    let (paths, files) = by_kind(&paths);
    for file in files {
        let draft =
            RawFinding::new(Location::file(&file), format!("{file} is made from the canon, and was edited by hand"));
        drafts.push(
            draft.help(
                "carry the edit over into the canon, then `canonry sync --force` writes it anew (a copy is kept)",
            ),
        );
    }
    by_folder(&paths, drafts, |folder, files| {
        (
            format!("edited in the mirror and not in the canon: {files}"),
            format!(
                "`canonry sync --adopt {folder}` takes the edit into the canon; `canonry sync --force` drops it (a copy is kept)"
            ),
        )
    });
}
