//! The changed files of the work tree that people and attempts share.

use crate::{Error, RepoPath, Workspace};
use canonry_repo::git::worktrees::changed_paths;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;

/// A changed file as it was before the first attempt at a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SeenFile {
    /// From the top of the repository.
    pub path: String,
    /// Its size, and its time in seconds and nanoseconds; `None` if it is gone.
    pub state: Option<(u64, i64, i64)>,
}

impl SeenFile {
    /// A file as it is now, by its path from the top of the repository.
    ///
    /// # Errors
    /// There is no repository.
    pub fn now(workspace: &Workspace, full: &RepoPath) -> Result<Self, Error> {
        let top = workspace.repo()?.workdir().map(|top| top.join(full.to_display()));
        // A file that is gone has no state.
        let meta = top.and_then(|path| std::fs::symlink_metadata(path).ok());
        let state = meta.map(|meta| (meta.len(), meta.mtime(), meta.mtime_nsec()));
        Ok(Self { path: full.to_string(), state })
    }
}

/// The files that are changed now: they are not the work of an attempt that begins.
///
/// # Errors
/// The work tree cannot be read.
pub(crate) fn see_files(workspace: &Workspace) -> Result<BTreeSet<SeenFile>, Error> {
    let changed = changed_paths(workspace.repo()?)?;
    changed.iter().map(|path| SeenFile::now(workspace, path)).collect()
}

/// The changed files that can be the work of an attempt, from the top of the repository: without plans, reports, approvals,
/// owners, runs, and the memory log.
///
/// # Errors
/// The work tree cannot be read.
pub(crate) fn work_files(workspace: &Workspace) -> Result<Vec<RepoPath>, Error> {
    let layout = &workspace.layout;
    let is_kept = |full: &RepoPath| {
        // Paths of the layout start at the folder of the canon.
        let path = full.below(workspace.view.base()).map(RepoPath::new);
        path.is_some_and(|path| is_control(workspace, &path) || path.is_within(&layout.runs()) || path == layout.log())
    };
    let mut changed = changed_paths(workspace.repo()?)?;
    changed.retain(|full| !is_kept(full));
    Ok(changed)
}

/// Whether a file below the folder of the canon belongs to people and to canonry: a plan, a report, an approval, or owners.
pub(crate) fn is_control(workspace: &Workspace, path: &RepoPath) -> bool {
    let layout = &workspace.layout;
    path.is_within(&layout.approvals())
        || path.is_within(&layout.owners())
        || layout.plan_roots().iter().chain(layout.report_roots()).any(|root| path.is_within(root))
}
