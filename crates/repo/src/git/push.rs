//! Pushes a branch, for a pull request. gix cannot push, so this starts the git binary.

use super::ssh::without_questions;
use crate::exec::git::{GitError, GitLimits, run_git};
use crate::fs as writes;
use gix::ObjectId;
use std::ffi::{OsStr, OsString};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Time limit of git. The user's `pre-push` hook may run tests.
const TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// Why a branch was not pushed.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    #[error("{0}")]
    Exec(#[from] GitError),
    /// git ended with an error.
    #[error("{message}")]
    Failed { message: String },
}

impl PushError {
    /// Whether the user interrupted git.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Self::Exec(GitError::Interrupted))
    }
}

/// Pushes a commit as a branch of a remote. git's hooks run. Can be repeated.
///
/// # Errors
/// The remote, or a hook, does not accept it.
pub fn push_branch(
    repo: &gix::Repository,
    remote: &str,
    commit: ObjectId,
    branch: &str,
    cancel: &AtomicBool,
) -> Result<(), PushError> {
    writes::failpoint::reach("push").map_err(GitError::Io)?;
    let mut git_dir = OsString::from("--git-dir=");
    git_dir.push(std::path::absolute(repo.git_dir()).map_err(GitError::Io)?);
    let refspec = format!("{commit}:refs/heads/{branch}");
    let mut args: Vec<&OsStr> = vec![&git_dir];
    if let Some(setting) = without_questions(repo) {
        args.extend(["-c", setting].map(OsStr::new));
    }
    args.extend(["push", "--quiet", "--progress", "--no-follow-tags", "--end-of-options", remote].map(OsStr::new));
    args.push(OsStr::new(&refspec));
    // Relative URLs of remotes start at the top of the work tree.
    let folder = repo.workdir().unwrap_or_else(|| repo.git_dir());
    // A hook may print nothing.
    let output = run_git(folder, &args, GitLimits { timeout: TIMEOUT, silence: TIMEOUT, cancel })?;
    if output.success {
        return Ok(());
    }
    let message = Some(output.stderr).filter(|text| !text.is_empty());
    Err(PushError::Failed { message: message.unwrap_or_else(|| "git failed without a message".to_owned()) })
}
