//! Writes the files of a commit into a new work tree.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use gix::ObjectId;
use gix::bstr::BStr;
use gix::ignore::glob::pattern::Case;
use gix::index::Entry;
use gix::index::entry::stat::Time;
use gix::index::entry::{Flags, Stat};
use gix::worktree::stack::state::attributes::Source;

use super::WorktreeError;
use crate::fs as writes;
use crate::git::commit::CommitError;
use crate::git::diff::tree_of;

/// The files that a checkout has written.
#[derive(Debug)]
pub(super) struct Populated {
    index: gix::index::State,
    /// The time at which the index was written, after all files.
    at: Time,
}

/// Writes all files of a commit, then the index. A checkout that was interrupted before is finished, because a work tree
/// without an index contains nothing but files of the commit. Files that are as an earlier checkout has left them are kept.
pub(super) fn populate(
    repo: &gix::Repository,
    folder: &Path,
    commit: ObjectId,
    before: Option<&Populated>,
    cancel: &AtomicBool,
) -> Result<Populated, WorktreeError> {
    let fail = CommitError::git("check out a work tree");
    let mut index = index_of(repo, commit)?;
    let kept = before.map_or_else(Vec::new, |before| unchanged(&index, before, folder));
    for (at, _) in &kept {
        index.entries_mut()[*at].flags.insert(Flags::SKIP_WORKTREE);
    }
    let mut options = repo.checkout_options(Source::IdMapping).map_err(&fail)?;
    options.overwrite_existing = true;
    let objects = repo.objects.clone().into_arc();
    let objects = objects.map_err(|error| fail(gix::Error::from_error(error)))?;
    let discard = gix::progress::Discard;
    writes::failpoint::reach("checkout").map_err(CommitError::git_io("check out a work tree"))?;
    gix::worktree::state::checkout(&mut index, folder, objects, &discard, &discard, cancel, options).map_err(&fail)?;
    if cancel.load(Ordering::Relaxed) {
        return Err(WorktreeError::Interrupted);
    }
    for (at, stat) in kept {
        let entry = &mut index.entries_mut()[at];
        entry.flags.remove(Flags::SKIP_WORKTREE);
        entry.stat = stat;
    }
    // As git does, so that a submodule that is not initialised does not look deleted.
    for entry in index.entries().iter().filter(|entry| entry.mode.is_submodule()) {
        let path = gix::path::from_bstr(entry.path(&index)).map_err(&fail)?;
        let path = folder.join(path);
        writes::create_dir_all(&path).map_err(|source| CommitError::File { path, source })?;
    }
    writes::failpoint::reach("index").map_err(CommitError::git_io("write the index of a work tree"))?;
    index.write(Default::default()).map_err(fail)?;
    let at = stat(index.path()).map_err(CommitError::git_io("read the time of the index"))?.mtime;
    Ok(Populated { index: index.into_parts().0, at })
}

/// The entries whose content and files are as an earlier checkout has left them, with their status. A file that was written in the
/// same moment as the index may have changed since without a trace: <https://git-scm.com/docs/racy-git>.
fn unchanged(index: &gix::index::State, before: &Populated, folder: &Path) -> Vec<(usize, Stat)> {
    if attributes(index) != attributes(&before.index) {
        return Vec::new();
    }
    let moment = |time: Time| (time.secs, time.nsecs);
    let same = |entry: &Entry| {
        let earlier = before.index.entry_by_path(entry.path(index))?;
        let is_same = earlier.id == entry.id && earlier.mode == entry.mode;
        let is_old = moment(earlier.stat.mtime) < moment(before.at);
        if !is_same || !is_old || entry.flags.contains(Flags::SKIP_WORKTREE) {
            return None;
        }
        let path = folder.join(gix::path::from_bstr(entry.path(index)).ok()?);
        // Without a status, the file is written.
        stat(&path).ok().filter(|found| *found == earlier.stat)
    };
    index.entries().iter().enumerate().filter_map(|(at, entry)| Some((at, same(entry)?))).collect()
}

/// The files that decide about filters and line endings of others.
fn attributes(index: &gix::index::State) -> Vec<(&BStr, ObjectId)> {
    let paths = index.entries().iter().map(|entry| (entry.path(index), entry.id));
    paths.filter(|(path, _)| path.rsplit(|byte| *byte == b'/').next() == Some(b".gitattributes")).collect()
}

fn stat(path: &Path) -> io::Result<Stat> {
    let metadata = gix::index::fs::Metadata::from_path_no_follow(path)?;
    Stat::from_fs(&metadata).map_err(io::Error::other)
}

/// The index of a work tree of a commit.
pub(super) fn index_of(repo: &gix::Repository, commit: ObjectId) -> Result<gix::index::File, CommitError> {
    let tree = tree_of(repo, commit)?;
    let mut index = repo.index_from_tree(&tree).map_err(CommitError::git("check out a work tree"))?;
    exclude_sparse(repo, &mut index)?;
    Ok(index)
}

/// Marks the entries that a sparse checkout leaves out.
pub(in crate::git) fn exclude_sparse(repo: &gix::Repository, index: &mut gix::index::State) -> Result<(), CommitError> {
    let fail = CommitError::git("read the patterns of the sparse checkout");
    let config = repo.config_snapshot();
    if !config.boolean("core.sparseCheckout").unwrap_or(false) {
        return Ok(());
    }
    let patterns = gix::worktree::sparse::read_patterns(repo.git_dir());
    let Some(patterns) = patterns.map_err(CommitError::git_io("read the patterns of the sparse checkout"))? else {
        return Ok(());
    };
    let cone = config.boolean("core.sparseCheckoutCone").unwrap_or(false);
    let fold = repo.filesystem_options().map_err(&fail)?.ignore_case;
    let case = if fold { Case::Fold } else { Case::Sensitive };
    let source = repo.git_dir().join("info/sparse-checkout");
    gix::worktree::sparse::apply_patterns(index, &patterns, &source, cone, case).map_err(fail)
}
