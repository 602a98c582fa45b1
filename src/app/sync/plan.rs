//! What a sync does about the mirrors and about the tools' other files, as one decision.

use crate::canon::{FileMode, FileState};
use crate::edit::{EditContent, OverwriteMode};
use crate::mirror::{self, DesiredFile, Refusal, RefusalReason, SyncPlan};
use crate::toolfiles::managed_part::bytes_id;
use crate::toolfiles::{self, PartConflict, RefusedPart, ToolFileContext};
use crate::view::survey::Survey;
use gix::hash::Kind;

/// Decides. `hash` is the kind of object ids.
pub fn decide(survey: &Survey, consent: OverwriteMode, hash: Kind) -> SyncPlan {
    let lock = &survey.lock;
    let mut decision = mirror::plan(&survey.desired, &survey.actual, lock, consent);
    let (wanted, standing) = (&survey.shared.wanted, &survey.shared.standing);
    let verdict = toolfiles::plan(&ToolFileContext { wanted, standing, ours: lock.entries(), hash }, consent);
    if !verdict.edits.is_empty() {
        decision.edits.extend(verdict.edits);
        decision.edits.sort_by_cached_key(|edit| (edit.now().is_some(), edit.path().clone()));
    }
    decision.refused.extend(verdict.refused.into_iter().map(|refused| refusal(refused, hash)));
    decision.refused.sort_by(|a, b| a.path.cmp(&b.path));
    decision.forced.extend(verdict.forced);
    decision.unchanged += verdict.unchanged;
    decision.lock = decision.lock.with(verdict.owned);
    for refusal in decision.refused.iter_mut().filter(|refusal| survey.registry.contains(&refusal.path)) {
        refusal.reason = of_registry(&refusal.reason);
    }
    decision
}

/// Why a list of the skills is left as it is: there is nothing in the canon that it would be a copy of.
fn of_registry(reason: &RefusalReason) -> RefusalReason {
    match reason {
        RefusalReason::Edited | RefusalReason::EditedOrphan => RefusalReason::PartEdited(
            "it is made from the skills, and someone edited it; edit the skills, then `canonry skills index --force`"
                .to_owned(),
        ),
        RefusalReason::Occupied { .. } => RefusalReason::PartOccupied(
            "canonry did not make what stands where it would list the skills; move it away, replace it with `canonry skills \
             index --force`, or say `skills_index: false`"
                .to_owned(),
        ),
        other => other.clone(),
    }
}

fn refusal(refused: RefusedPart, hash: Kind) -> Refusal {
    let RefusedPart { file, fault, words, was, forced } = refused;
    let mode = was.map_or(FileMode::File, |was| was.mode);
    let want = forced.map(|bytes| DesiredFile {
        path: file.clone(),
        state: FileState { id: bytes_id(&bytes, hash), mode },
        content: EditContent::Bytes(bytes),
        canon: file.clone(),
        folder: file.clone(),
    });
    let reason = match fault {
        PartConflict::Edited => RefusalReason::PartEdited(words),
        PartConflict::Occupied => RefusalReason::PartOccupied(words),
    };
    // Where force would change nothing there is nothing to show.
    let actual = was.filter(|_| want.is_some());
    Refusal { path: file, reason, desired: want, current: actual }
}
