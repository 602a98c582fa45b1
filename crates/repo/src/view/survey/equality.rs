//! Finds mirrored files that equal the canon although git's filters give them other ids, for example because an attribute
//! applies only to the canon.

use crate::view::written::{UnknownFile, WrittenHistory};
use crate::view::{Hasher, View};
use canonry_mirror::plan::is_frozen;
use canonry_mirror::state::{ComparedFile, ExtraFile, compare, is_owned};
use canonry_mirror::{DesiredFile, DesiredMirrors, Lock, MirrorState};
use canonry_model::canon::{FileState, Layout};
use canonry_model::config::mirror_root;
use canonry_model::edit::EditContent;
use canonry_text::RepoPath;
use gix::ObjectId;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Inputs of the comparison.
pub(super) struct EqualityRequest<'a> {
    pub layout: &'a Layout,
    pub history: &'a WrittenHistory,
    pub has_lock: bool,
}

/// A mirrored file whose id is neither the desired one nor the one that was written.
struct DifferentFile<'a> {
    path: &'a RepoPath,
    /// The canon's file, or where it was.
    canon: RepoPath,
    state: FileState,
    desired: Option<&'a DesiredFile>,
    owned: &'a [(RepoPath, FileState)],
}

/// Result of comparing the content of a different file.
enum Equality {
    /// It equals the canon; the state has the id that the comparison expects.
    EqualsCanon(RepoPath, FileState),
    /// It is what sync wrote.
    Owned(RepoPath, FileState),
}

/// Corrects the states in `actual` of files that equal the canon, and adds the files that sync wrote to the lock. Reads only
/// files whose ids differ.
pub(super) fn find_equal(
    view: &View,
    desired: &DesiredMirrors,
    actual: &mut MirrorState,
    lock: Lock,
    request: &EqualityRequest<'_>,
) -> Lock {
    let EqualityRequest { layout, history, has_lock } = *request;
    let (found, unknown) = {
        let files: Vec<&DesiredFile> = desired.files.iter().collect();
        let (compared, extra) = compare(&files, actual, &lock);
        let unknown = compared.iter().filter_map(unknown_copy).chain(extra.iter().filter_map(unknown_extra));
        // Without a lock, such as after a change of `root:`, files that no skill has stay.
        let may_be_ours = |file: &UnknownFile| !(is_frozen(&file.path, desired) || !has_lock && file.record_only);
        let unknown: Vec<UnknownFile> = unknown.filter(may_be_ours).collect();
        (equal_files(view, &compared, &extra, layout), unknown)
    };
    let mut owned = Vec::new();
    let mut settled = BTreeSet::new();
    for found in found {
        match found {
            Equality::EqualsCanon(path, state) => {
                actual.set(&path, state);
                settled.insert(path);
            }
            Equality::Owned(path, state) => {
                settled.insert(path.clone());
                owned.push((path, state));
            }
        }
    }
    let unknown = unknown.into_iter().filter(|file| !settled.contains(&file.path)).collect();
    let recognition = history.recognise(unknown);
    owned.extend(recognition.written);
    actual.unproved = recognition.unproved;
    lock.with(owned)
}

fn equal_files(view: &View, compared: &[ComparedFile<'_>], extra: &[ExtraFile<'_>], layout: &Layout) -> Vec<Equality> {
    let Some(git) = view.git() else { return Vec::new() };
    let different = compared.iter().filter_map(different_from_desired);
    let extra = extra.iter().filter_map(|file| different_from_written(file, layout));
    let different: Vec<DifferentFile<'_>> = different.chain(extra).collect();
    let hasher = || Hasher::new(git);
    different.par_iter().map_init(hasher, |hasher, file| compare_content(view, file, hasher)).flatten_iter().collect()
}

fn unknown_copy(compared: &ComparedFile<'_>) -> Option<UnknownFile> {
    let ComparedFile { desired, current, owned } = *compared;
    let state = current.filter(|state| *state != desired.state && !is_owned(owned, *state) && !state.id.is_null())?;
    let canon = matches!(desired.content, EditContent::CopyOf(_)).then(|| desired.canon.clone());
    Some(UnknownFile { path: desired.path.clone(), state, canon, is_desired: true, record_only: false })
}

fn unknown_extra(extra: &ExtraFile<'_>) -> Option<UnknownFile> {
    let ExtraFile { path, current: state, owned } = *extra;
    let is_unknown = !is_owned(owned, state) && !state.id.is_null();
    is_unknown.then(|| UnknownFile {
        path: path.clone(),
        state,
        canon: None,
        is_desired: false,
        record_only: owned.is_empty(),
    })
}

fn compare_content(view: &View, file: &DifferentFile<'_>, hasher: &mut Hasher<'_>) -> Option<Equality> {
    if !view.is_work_tree() {
        return compare_stored(view, file, hasher);
    }
    let bytes = crate::fs::read(view.on_disk(file.path)?).ok()?;
    let has_same_bytes = || crate::fs::read(view.on_disk(&file.canon)?).ok().filter(|canon| *canon == bytes);
    // With the attributes of the canon's path, and with none: either may have applied when the file was written.
    let ids = [hasher.id_at(&file.canon, file.path), hasher.hash(&bytes)];
    let has_id = |id: ObjectId| ids.contains(&Some(id));
    if let Some(desired) = file.desired
        && (has_id(desired.state.id) || has_same_bytes().is_some())
    {
        return Some(Equality::EqualsCanon(file.path.clone(), FileState { id: desired.state.id, ..file.state }));
    }
    let is_owned = file.owned.iter().any(|(_, state)| has_id(state.id) && state.mode.is_file());
    is_owned.then(|| Equality::Owned(file.path.clone(), file.state))
}

/// Compares files in the index or in a commit: the mirror has the id that git gives to a copy of the canon's file.
fn compare_stored(view: &View, file: &DifferentFile<'_>, hasher: &mut Hasher<'_>) -> Option<Equality> {
    let mut is_copy_of = |id: ObjectId| {
        let content = view.blob(id).and_then(|stored| hasher.smudge(&file.canon, &stored))?;
        let stored = hasher.clean_content(file.path, content.as_slice())?;
        Some(hasher.hash(&stored)? == file.state.id)
    };
    if let Some(desired) = file.desired
        && is_copy_of(desired.state.id) == Some(true)
    {
        return Some(Equality::EqualsCanon(file.path.clone(), FileState { id: desired.state.id, ..file.state }));
    }
    let mut written = file.owned.iter().filter(|(_, state)| state.mode.is_file());
    let is_owned = written.any(|(_, state)| is_copy_of(state.id) == Some(true));
    is_owned.then(|| Equality::Owned(file.path.clone(), file.state))
}

fn different_from_desired<'a>(compared: &ComparedFile<'a>) -> Option<DifferentFile<'a>> {
    let ComparedFile { desired, current, owned } = *compared;
    let is_known = |state: &FileState| state.id == desired.state.id || is_owned(owned, *state);
    let state = current.filter(|state| !is_known(state) && state.mode.is_file())?;
    let is_copy = matches!(desired.content, EditContent::CopyOf(_));
    is_copy.then(|| DifferentFile {
        path: &desired.path,
        canon: desired.canon.clone(),
        state,
        desired: Some(desired),
        owned,
    })
}

/// The canon no longer has the file. It was mirrored from the skill of the same name, unless that was in a category.
fn different_from_written<'a>(extra: &ExtraFile<'a>, layout: &Layout) -> Option<DifferentFile<'a>> {
    let ExtraFile { path, current: state, owned } = *extra;
    if owned.is_empty() || is_owned(owned, state) || !state.mode.is_file() {
        return None;
    }
    let root = mirror_root(path)?;
    let canon = layout.skills().join(path.below(&root)?);
    Some(DifferentFile { path, canon, state, desired: None, owned })
}
