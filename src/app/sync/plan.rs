//! What a sync does about the mirrors and about the tools' other files, as one decision.

use crate::canon::{FileState, Mode};
use crate::edit::Content;
use crate::mirror::{self, Consent, Decision, Reason, Refusal, Want};
use crate::toolfiles::part::id_of_bytes;
use crate::toolfiles::{self, Fault, Refused, Seen, Stance};
use crate::view::survey::Survey;
use gix::hash::Kind;

/// Decides. `hash` is the kind of object ids.
pub fn decide(survey: &Survey, consent: Consent, hash: Kind) -> Decision {
    let lock = &survey.lock;
    let mut decision = mirror::decide(&survey.desired, &survey.actual, lock, consent);
    let (wanted, standing) = (&survey.shared.wanted, &survey.shared.standing);
    let stance = if consent == Consent::Force { Stance::Replace } else { Stance::Keep };
    let verdict = toolfiles::decide(&Seen { wanted, standing, ours: lock.entries(), hash }, stance);
    if !verdict.edits.is_empty() {
        decision.edits.extend(verdict.edits);
        decision.edits.sort_by_cached_key(|edit| (edit.now().is_some(), edit.path().clone()));
    }
    decision.refused.extend(verdict.refused.into_iter().map(|refused| refusal(refused, hash)));
    decision.refused.sort_by(|a, b| a.path.cmp(&b.path));
    decision.forced.extend(verdict.forced);
    decision.unchanged += verdict.unchanged;
    decision.lock = decision.lock.with(verdict.parts);
    for refusal in decision.refused.iter_mut().filter(|refusal| survey.registry.contains(&refusal.path)) {
        refusal.reason = of_registry(&refusal.reason);
    }
    decision
}

/// Why a list of the skills is left as it is: there is nothing in the canon that it would be a copy of.
fn of_registry(reason: &Reason) -> Reason {
    match reason {
        Reason::Edited | Reason::EditedOrphan => Reason::PartEdited(
            "it is made from the skills, and someone edited it; edit the skills, then `canonry skills index --force`"
                .to_owned(),
        ),
        Reason::Occupied { .. } => Reason::PartOccupied(
            "canonry did not make what stands where it would list the skills; move it away, replace it with `canonry skills \
             index --force`, or say `skills_index: false`"
                .to_owned(),
        ),
        other => other.clone(),
    }
}

fn refusal(refused: Refused, hash: Kind) -> Refusal {
    let Refused { file, fault, words, was, forced } = refused;
    let mode = was.map_or(Mode::File, |was| was.mode);
    let want = forced.map(|bytes| Want {
        path: file.clone(),
        state: FileState { id: id_of_bytes(&bytes, hash), mode },
        content: Content::Bytes(bytes),
        canon: file.clone(),
        folder: file.clone(),
    });
    let reason = match fault {
        Fault::Edited => Reason::PartEdited(words),
        Fault::Occupied => Reason::PartOccupied(words),
    };
    // Where force would change nothing there is nothing to show.
    let actual = was.filter(|_| want.is_some());
    Refusal { path: file, reason, want, actual }
}
