//! A sparse index as a full one.

use gix::bstr::{BString, ByteSlice};
use gix::index::entry::{Flags, Mode, Stat};

/// Replaces the collapsed folders of a sparse index by their files. git collapses them again when it writes the index next.
///
/// # Errors
/// A tree cannot be read.
pub fn expand(repo: &gix::Repository, index: gix::index::File) -> gix::Result<gix::index::File> {
    if !index.is_sparse() {
        return Ok(index);
    }
    let mut state = gix::index::State::new(index.object_hash());
    state.set_timestamp(index.timestamp());
    for entry in index.entries() {
        let path = entry.path(&index);
        if !entry.mode.is_sparse() {
            state.dangerously_push_entry(entry.stat, entry.id, entry.flags, entry.mode, path);
            continue;
        }
        let files = repo.find_tree(entry.id)?.traverse().breadthfirst.files().map_err(gix::Error::from_error)?;
        for file in files.iter().filter(|file| !file.mode.is_tree()) {
            let mut below = BString::from(path.trim_end_with(|c| c == '/'));
            below.push(b'/');
            below.extend_from_slice(&file.filepath);
            let flags = Flags::SKIP_WORKTREE | Flags::EXTENDED;
            state.dangerously_push_entry(Stat::default(), file.oid, flags, Mode::from(file.mode), below.as_bstr());
        }
    }
    state.sort_entries();
    Ok(gix::index::File::from_state(state, index.path()))
}
