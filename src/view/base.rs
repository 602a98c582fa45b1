//! A folder of the repository that is looked at as if it were one.
//!
//! Paths within a view are relative to it, whatever the basis; git's own attributes, ignore rules and index are asked by
//! the path from the top.

use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::bstr::ByteSlice;
use std::path::PathBuf;

pub(super) fn on_disk(base: &RepoPath) -> gix::Result<PathBuf> {
    Ok(gix::path::from_bstr(base.as_bstr())?.into_owned())
}

/// The tree of the folder in a commit's tree; an empty one where it has none.
pub(super) fn tree(repo: &gix::Repository, tree: ObjectId, base: &RepoPath) -> gix::Result<ObjectId> {
    let mut here = tree;
    for name in base.components() {
        let entries = repo.find_tree(here)?;
        let below = entries.iter().filter_map(Result::ok).find(|entry| entry.filename() == name);
        match below.filter(|entry| entry.mode().is_tree()) {
            Some(entry) => here = entry.object_id(),
            None => return Ok(ObjectId::empty_tree(repo.object_hash())),
        }
    }
    Ok(here)
}

/// What the index has of the folder, by paths that are relative to it.
pub(super) fn index(whole: &gix::index::File, base: &RepoPath) -> gix::index::File {
    let mut state = gix::index::State::new(whole.object_hash());
    // What tells files that git must look at again from those it need not.
    state.set_timestamp(whole.timestamp());
    let mut prefix = base.as_bstr().to_owned();
    prefix.push(b'/');
    for entry in whole.prefixed_entries(prefix.as_bstr()).unwrap_or(&[]) {
        let path = &entry.path(whole)[prefix.len()..];
        if !path.is_empty() {
            state.dangerously_push_entry(entry.stat, entry.id, entry.flags, entry.mode, path.as_bstr());
        }
    }
    gix::index::File::from_state(state, whole.path())
}
