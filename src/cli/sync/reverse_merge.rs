//! Edits of mirrored files on their way into the canon.

use crate::app::sync::state::Seen;
use crate::config::Target;
use crate::mirror::document::{self, EditedCopy, Rendered, ReverseMergeError, render};
use crate::mirror::frontmatter_merge::{OverlayKind, overlay_kind};
use crate::mirror::merge::{MergeLabels, MergeOutcome, MergeSides, merge};
use crate::mirror::{DesiredFile, RenderSource};
use crate::syntax::RepoPath;
use crate::view::{Texts, View};
use gix::ObjectId;

/// The mirror's file and the canon's as one, both being in the work tree.
pub fn merged((view, seen): (&View, &Seen), want: &DesiredFile, path: &RepoPath, base: ObjectId) -> MergeOutcome {
    let mut texts = view.texts();
    // Before the first commit git does not have it, and another mirror may.
    let elsewhere = || seen.survey.actual.files.iter().find(|(_, state)| state.id == base).map(|(path, _)| path);
    if let Some(recipe) = seen.survey.desired.rendered.get(&want.path) {
        return reverse_merge(&mut texts, want, path, (recipe, base, elsewhere()));
    }
    let base = texts.blob(base).or_else(|| texts.stored(elsewhere()?));
    let mut sides = || Some((texts.stored(&want.canon)?, texts.stored(path)?));
    let (Some(base), Some((canon, mirror))) = (base, sides()) else { return MergeOutcome::Impossible };
    let (ours, theirs) = (want.canon.to_display(), path.to_display());
    let sides = MergeSides { base: &base, canon: &canon, mirror: &mirror };
    match merge(&sides, &MergeLabels { canon: &ours, mirror: &theirs }) {
        Ok(text) => checked_out(&mut texts, &want.canon, &text),
        Err(Some(lines)) => MergeOutcome::Conflict(lines),
        Err(None) => MergeOutcome::Impossible,
    }
}

/// The edit of a document that was made for its tool, taken into what it was made from.
fn reverse_merge(
    texts: &mut Texts<'_>,
    want: &DesiredFile,
    path: &RepoPath,
    (recipe, base, elsewhere): (&RenderSource, ObjectId, Option<&RepoPath>),
) -> MergeOutcome {
    let overlay = recipe.keys.as_ref().map(|keys| texts.stored(keys));
    let (Some(document), Some(now), Some(overlay)) =
        (texts.stored(&want.canon), texts.stored(path), overlay.map_or(Some(None), |overlay| overlay.map(Some)))
    else {
        return MergeOutcome::Impossible;
    };
    // As a rule what sync wrote can be made once more.
    let again = match render(&document, overlay.as_deref(), recipe.target) {
        Ok(Rendered::Text(text)) if want.state.id == base => Some(text.into_bytes()),
        _ => None,
    };
    let written = again.or_else(|| texts.blob(base)).or_else(|| texts.stored(elsewhere?));
    let Some(written) = written else { return MergeOutcome::Impossible };
    let (ours, theirs) = (want.canon.to_display(), path.to_display());
    let recipe = document::RenderInput { document: &document, overlay: overlay.as_deref(), target: recipe.target };
    let edited = EditedCopy { written: &written, now: &now };
    match document::reverse_merge(&recipe, &edited, &MergeLabels { canon: &ours, mirror: &theirs }) {
        Ok(text) => checked_out(texts, &want.canon, &text),
        Err(ReverseMergeError::Conflict(lines)) => MergeOutcome::Conflict(lines),
        Err(ReverseMergeError::NotText) => MergeOutcome::Impossible,
        Err(ReverseMergeError::ToolSpecific) => MergeOutcome::ToolSpecific,
    }
}

fn checked_out(texts: &mut Texts<'_>, path: &RepoPath, text: &[u8]) -> MergeOutcome {
    match texts.checked_out(path, text) {
        Some((bytes, id)) => MergeOutcome::Text { bytes, id },
        None => MergeOutcome::Impossible,
    }
}

/// Whether a document in a mirror, once the file `canon` holds it, is what its tool gets of that.
pub fn is_settled((view, seen): (&View, &Seen), path: &RepoPath, canon: &RepoPath) -> bool {
    let target = Target::ALL.into_iter().find(|target| path.is_within(&target.skills_root()));
    let (Some(target), Some(text)) = (target, view.texts().stored(path)) else { return true };
    // Frontmatter alone would be merged.
    let is_whole = !canon.is_within(&seen.layout.overlays()) || overlay_kind(&text) == Ok(OverlayKind::Whole);
    is_whole && document::renders_unchanged(&text, target)
}
