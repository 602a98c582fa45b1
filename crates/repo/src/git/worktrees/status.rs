//! Whether a work tree contains anything that is not committed.

use std::collections::BTreeSet;

use crate::git::commit::CommitError;
use canonry_text::RepoPath;

/// The paths with staged or unstaged changes and the untracked paths that git does not ignore.
///
/// # Errors
/// The index or the work tree cannot be read.
pub fn changed_paths(repo: &gix::Repository) -> Result<Vec<RepoPath>, CommitError> {
    let fail = CommitError::git("compare a work tree with its commit");
    let walk = repo.dirwalk_options().map_err(&fail)?;
    let status = repo.status(gix::progress::Discard).map_err(&fail)?;
    let items = status
        // The user may have turned untracked files off in `status.showUntrackedFiles`.
        .index_worktree_options_mut(|options| options.dirwalk_options = Some(walk))
        .untracked_files(gix::status::UntrackedFiles::Files)
        .index_worktree_submodules(gix::status::Submodule::AsConfigured { check_dirty: true })
        .into_iter(None)
        .map_err(&fail)?;
    let mut paths = BTreeSet::new();
    for item in items {
        paths.insert(RepoPath::new(item.map_err(&fail)?.location()));
    }
    Ok(paths.into_iter().collect())
}
