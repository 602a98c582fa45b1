//! Finds the skill that a mirror's folder belongs to after the skill was renamed in the canon.

use crate::sync::state::SyncState;
use canonry_mirror::DesiredFile;
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::config::mirror_root;
use canonry_repo::view::View;
use canonry_text::RepoPath;
use gix::bstr::ByteSlice;
use similar::TextDiff;

/// Similarity of two versions of a renamed document, as in git's detection of renamed files.
const MIN_SIMILARITY: f32 = 0.5;

/// Returns the folder, in the same mirror, of the skill whose document is most similar to the one that sync wrote into
/// `folder`; `None` if none is similar enough or the document that sync wrote is not known.
pub fn renamed_skill(view: &View, state: &SyncState, folder: &RepoPath) -> Option<RepoPath> {
    let survey = &state.survey;
    let root = mirror_root(folder)?;
    let documents = survey.lock.below(folder).iter().filter(|(path, _)| is_skill_document(path));
    let mut texts = view.texts();
    let mut before = documents.filter_map(|(path, written)| {
        let is_unedited = survey.actual.state(path) == Some(*written);
        // A copy of the document that nobody edited has the text, even if git does not have it.
        let copy = survey.actual.files.iter().find(|(_, state)| state.id == written.id).map(|(path, _)| path);
        let text = texts.blob(written.id).or_else(|| texts.stored(if is_unedited { path } else { copy? }));
        Some((path.below(folder)?.to_owned(), text?))
    });
    let (below, before) = before.next()?;
    let before = before.to_str_lossy().into_owned();
    let is_document = |file: &&DesiredFile| {
        file.path.is_within(&root) && file.folder != *folder && file.path.below(&file.folder) == Some(below.as_bstr())
    };
    let candidates = survey.desired.files.iter().chain(&survey.desired.linked_files).filter(is_document);
    let similar = candidates.filter_map(|file| {
        let now = texts_of(view, file)?;
        let ratio = TextDiff::from_lines(before.as_str(), now.as_str()).ratio();
        (ratio >= MIN_SIMILARITY).then(|| (ratio, file.folder.clone()))
    });
    let old = state.layout.skills().join(folder.file_name());
    let similar = similar.filter(|(_, folder)| {
        let canon = survey.desired.files.iter().find(|file| file.folder == *folder && is_skill_document(&file.path));
        let canon = canon.and_then(|file| file.canon.parent());
        canon.is_some_and(|canon| !survey.history.had_both(&old, &canon))
    });
    similar.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, folder)| folder)
}

fn texts_of(view: &View, file: &DesiredFile) -> Option<String> {
    Some(view.texts().stored(&file.canon)?.to_str_lossy().into_owned())
}
