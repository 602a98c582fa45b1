//! Writes the files of a commit into a new work tree.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use gix::ObjectId;
use gix::ignore::glob::pattern::Case;
use gix::worktree::stack::state::attributes::Source;

use super::WorktreeError;
use crate::fs as writes;
use crate::git::commit::CommitError;
use crate::git::diff::tree_of;

/// Writes all files of a commit, then the index. A checkout that was interrupted before is finished, because a work tree
/// without an index contains nothing but files of the commit.
pub(super) fn populate(
    repo: &gix::Repository,
    folder: &Path,
    commit: ObjectId,
    cancel: &AtomicBool,
) -> Result<(), WorktreeError> {
    let fail = CommitError::git("check out a work tree");
    let mut index = index_of(repo, commit)?;
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
    // As git does, so that a submodule that is not initialised does not look deleted.
    for entry in index.entries().iter().filter(|entry| entry.mode.is_submodule()) {
        let path = gix::path::from_bstr(entry.path(&index)).map_err(&fail)?;
        let path = folder.join(path);
        writes::create_dir_all(&path).map_err(|source| CommitError::File { path, source })?;
    }
    writes::failpoint::reach("index").map_err(CommitError::git_io("write the index of a work tree"))?;
    index.write(Default::default()).map_err(fail)?;
    Ok(())
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
