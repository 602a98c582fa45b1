//! The changed files of the work tree that people and attempts share.

use super::record_file;
use crate::{Error, RepoPath, Workspace};
use canonry_repo::git::worktrees::changed_paths;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

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

/// The record of the files that were changed before work began: they are not its result.
pub(crate) struct SeenFiles {
    path: PathBuf,
}

impl SeenFiles {
    /// The record of the work with a name, in the folder of its run.
    pub fn new(folder: &Path, name: &str) -> Self {
        Self { path: folder.join(format!("{name}.seen.json")) }
    }

    /// The recorded files; `None` if there is no record.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`](crate::ErrorKind::Unreadable) if the record is damaged.
    pub fn read(&self) -> Result<Option<BTreeSet<SeenFile>>, Error> {
        record_file::read(&self.path)
    }

    /// Records the files that are changed now, unless that was done before.
    ///
    /// # Errors
    /// The work tree cannot be read, or the record cannot be read or written.
    pub fn record(&self, workspace: &Workspace) -> Result<(), Error> {
        if self.read()?.is_some() {
            return Ok(());
        }
        let changed = changed_paths(workspace.repo()?)?;
        let seen = changed.iter().map(|path| SeenFile::now(workspace, path)).collect::<Result<BTreeSet<_>, _>>()?;
        record_file::save(&self.path, &seen)
    }

    /// Removes the record: the work is done.
    ///
    /// # Errors
    /// See [`record_file::remove`].
    pub fn forget(&self) -> Result<(), Error> {
        record_file::remove(&self.path)
    }
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
