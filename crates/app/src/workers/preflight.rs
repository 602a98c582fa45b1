//! Conditions of a run that are checked before a worker is paid.

use crate::{Error, ErrorKind, Workspace};
use canonry_repo::fs::free_space;
use canonry_repo::git::commit::trial;
use canonry_repo::git::worktrees::checkout_size;
use std::path::Path;

/// Whether canonry can commit what workers leave, and whether the disk has room for this many work trees below
/// `folder`. The result is what a person should read.
///
/// # Errors
/// Those of a commit that can be known without one; [`ErrorKind::Refused`] if the disk is too full.
pub(crate) fn check(workspace: &Workspace, folder: &Path, trees: usize) -> Result<Vec<String>, Error> {
    let repo = workspace.repo()?;
    let ignored = trial(repo, workspace.env.git_hooks)?;
    let top = workspace.top()?;
    let ignored = ignored.iter().map(|hook| {
        let hook = hook.strip_prefix(&top).unwrap_or(hook);
        format!("{} is not executable, so no commit runs it", hook.display())
    });
    require_space(repo, folder, trees)?;
    Ok(ignored.collect())
}

fn require_space(repo: &gix::Repository, folder: &Path, trees: usize) -> Result<(), Error> {
    // A file system that does not tell its free space may have enough.
    let Ok(free) = free_space(folder) else { return Ok(()) };
    let need = checkout_size(repo, free.block)?.saturating_mul(trees as u64);
    if need <= free.bytes {
        return Ok(());
    }
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let work_trees = if trees == 1 { "a work tree needs".to_owned() } else { format!("{trees} work trees need") };
    let message = format!("{work_trees} {} MiB, and {} has {} MiB left", mib(need), folder.display(), free.bytes >> 20);
    Err(Error::new(ErrorKind::Refused, message).help("free space there, or use fewer workers: `--workers 1`"))
}
