//! Merging edits of mirrored files back into the canon.

use crate::sync::state::SyncState;
use canonry_mirror::document::{self, EditedCopy, RenderInput, Rendered, render};
use canonry_mirror::frontmatter_merge::{OverlayKind, overlay_kind};
use canonry_mirror::merge::{MergeError, MergeLabels, MergeSides, MergedFile, merge};
use canonry_mirror::{DesiredFile, RenderSource};
use canonry_model::config::Target;
use canonry_repo::view::{Texts, View};
use canonry_text::RepoPath;
use gix::ObjectId;

/// Merges the mirror file `path` with its canon file. `base` is the content that sync last wrote.
pub fn merge_into_canon(
    view: &View,
    state: &SyncState,
    want: &DesiredFile,
    path: &RepoPath,
    base: ObjectId,
) -> Result<MergedFile, MergeError> {
    let mut texts = view.texts();
    // Before the first commit git does not have the base, but an unedited mirror may.
    let base_copy = || state.survey.actual.files.iter().find(|(_, state)| state.id == base).map(|(path, _)| path);
    if let Some(source) = state.survey.desired.rendered.get(&want.path) {
        let configured = &state.survey.desired.targets;
        return merge_rendered(&mut texts, want, path, source, base, base_copy(), configured);
    }
    let base = texts.blob(base).or_else(|| texts.stored(base_copy()?));
    let mut sides = || Some((texts.stored(&want.canon)?, texts.stored(path)?));
    let (Some(base), Some((canon, mirror))) = (base, sides()) else { return Err(MergeError::Impossible) };
    let canon_label = want.canon.to_display();
    let mirror_label = path.to_display();
    let sides = MergeSides { base: &base, canon: &canon, mirror: &mirror };
    let text = merge(&sides, &MergeLabels { canon: &canon_label, mirror: &mirror_label })?;
    checked_out(&mut texts, &want.canon, &text)
}

/// Merges the edit of a document that was rendered for its tool into the source of the rendering.
fn merge_rendered(
    texts: &mut Texts<'_>,
    want: &DesiredFile,
    path: &RepoPath,
    source: &RenderSource,
    base: ObjectId,
    base_copy: Option<&RepoPath>,
    configured: &[Target],
) -> Result<MergedFile, MergeError> {
    let overlay = source.keys.as_ref().map(|keys| texts.stored(keys));
    let (Some(document), Some(now), Some(overlay)) =
        (texts.stored(&want.canon), texts.stored(path), overlay.map_or(Some(None), |overlay| overlay.map(Some)))
    else {
        return Err(MergeError::Impossible);
    };
    // Usually the canon is unchanged, and rendering it again gives what sync wrote.
    let rendered = match render(&document, overlay.as_deref(), source.target, configured) {
        Ok(Rendered::Text(text)) if want.state.id == base => Some(text.into_bytes()),
        _ => None,
    };
    let written = rendered.or_else(|| texts.blob(base)).or_else(|| texts.stored(base_copy?));
    let Some(written) = written else { return Err(MergeError::Impossible) };
    let canon_label = want.canon.to_display();
    let mirror_label = path.to_display();
    let input = RenderInput { document: &document, overlay: overlay.as_deref(), target: source.target, configured };
    let edited = EditedCopy { written: &written, now: &now };
    let labels = MergeLabels { canon: &canon_label, mirror: &mirror_label };
    checked_out(texts, &want.canon, &document::reverse_merge(&input, &edited, &labels)?)
}

fn checked_out(texts: &mut Texts<'_>, path: &RepoPath, text: &[u8]) -> Result<MergedFile, MergeError> {
    let (bytes, id) = texts.checked_out(path, text).ok_or(MergeError::Impossible)?;
    Ok(MergedFile { bytes, id })
}

/// Whether a mirrored document is exactly what its tool gets once the file `canon` holds it.
pub fn renders_unchanged(view: &View, state: &SyncState, path: &RepoPath, canon: &RepoPath) -> bool {
    let target = state.survey.actual.target_of(path);
    let (Some(target), Some(text)) = (target, view.texts().stored(path)) else { return true };
    // An overlay of frontmatter alone would be merged into the document.
    let is_whole = !canon.is_within(&state.layout.overlays()) || overlay_kind(&text) == Ok(OverlayKind::Whole);
    is_whole && document::renders_unchanged(&text, target, &state.survey.desired.targets)
}
