//! A remote, through the git binary: gix cannot push.

use crate::exec::git::{FETCH, GitError, GitLimits, GitOutput, run_git, silence};
use crate::fs::failpoint;
use crate::git::ssh::without_questions;
use gix::ObjectId;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time limit of one git command.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Time limit of the push of a branch. The user's `pre-push` hook may run tests.
const BRANCH_TIMEOUT: Duration = Duration::from_secs(30 * 60);

static NOT_CANCELLED: AtomicBool = AtomicBool::new(false);

/// Why the remote did not answer.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// Another process of this clone exchanges claims and does not finish.
    #[error("another process holds `{}`", lock.display())]
    Busy { lock: PathBuf },
    #[error("`{}`: {source}", lock.display())]
    Lock { lock: PathBuf, source: io::Error },
    #[error("{0}")]
    Exec(#[from] GitError),
    /// git ended with an error.
    #[error("{message}")]
    Failed { message: String },
}

impl RemoteError {
    /// Whether the user interrupted git.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Self::Exec(GitError::Interrupted))
    }
}

/// Response of a remote to a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pushed {
    Accepted,
    /// The reference was not as expected, or the remote does not accept it.
    Rejected {
        reason: String,
    },
}

/// A remote of a repository.
#[derive(Debug)]
pub(in crate::git) struct Remote<'a> {
    repo: &'a gix::Repository,
    name: &'a str,
    cancel: &'a AtomicBool,
}

impl<'a> Remote<'a> {
    /// If `cancel` is already true, the caller cleans up after an interruption: then only the timeout ends git.
    pub fn new(repo: &'a gix::Repository, name: &'a str, cancel: &'a AtomicBool) -> Self {
        let cancel = if cancel.load(Ordering::Relaxed) { &NOT_CANCELLED } else { cancel };
        Self { repo, name, cancel }
    }

    /// Whatever ends git.
    pub fn cancel(&self) -> &'a AtomicBool {
        self.cancel
    }

    /// Fetches references.
    ///
    /// # Errors
    /// The remote did not answer.
    pub fn fetch(&self, options: &[&str], refspec: &str) -> Result<(), RemoteError> {
        failpoint::reach("fetch").map_err(GitError::Io)?;
        let output = self.git(&[&FETCH[..], options].concat(), refspec, self.limits())?;
        if output.success { Ok(()) } else { Err(RemoteError::Failed { message: message(output) }) }
    }

    /// Moves a reference of the remote.
    ///
    /// # Errors
    /// The remote did not answer. Then it is unknown whether it moved the reference.
    pub fn push(&self, options: &[&str], refspec: &str) -> Result<Pushed, RemoteError> {
        failpoint::reach("push").map_err(GitError::Io)?;
        let push = ["push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no"];
        let output = self.git(&[&push[..], options].concat(), refspec, self.limits())?;
        // One line per reference: a flag, `<from>:<to>`, and a summary, separated by tabs.
        let rejected =
            output.stdout.lines().filter_map(|line| line.strip_prefix("!\t")).find_map(|line| line.split('\t').nth(1));
        match rejected {
            _ if output.success => Ok(Pushed::Accepted),
            Some(reason) => Ok(Pushed::Rejected { reason: reason.to_owned() }),
            None => Err(RemoteError::Failed { message: message(output) }),
        }
    }

    fn limits(&self) -> GitLimits<'a> {
        GitLimits { timeout: TIMEOUT, silence: silence(&self.repo.config_snapshot()), cancel: self.cancel }
    }

    fn git(&self, options: &[&str], refspec: &str, limits: GitLimits<'_>) -> Result<GitOutput, RemoteError> {
        // The repository is named, because variables such as `GIT_DIR` may be about another one.
        let mut git_dir = OsString::from("--git-dir=");
        git_dir.push(std::path::absolute(self.repo.git_dir()).map_err(GitError::Io)?);
        let mut args: Vec<&OsStr> = vec![&git_dir];
        if let Some(setting) = without_questions(self.repo) {
            args.extend(["-c", setting].map(OsStr::new));
        }
        args.extend(options.iter().map(OsStr::new));
        args.extend(["--end-of-options", self.name, refspec].map(OsStr::new));
        // Relative URLs of remotes start at the top of the work tree.
        let folder = self.repo.workdir().unwrap_or_else(|| self.repo.git_dir());
        Ok(run_git(folder, &args, limits)?)
    }
}

/// Pushes a commit as a branch of a remote, for a pull request. git's hooks run. Can be repeated.
///
/// # Errors
/// The remote, or a hook, does not accept it.
pub fn push_branch(
    repo: &gix::Repository,
    remote: &str,
    commit: ObjectId,
    branch: &str,
    cancel: &AtomicBool,
) -> Result<(), RemoteError> {
    failpoint::reach("push").map_err(GitError::Io)?;
    let remote = Remote { repo, name: remote, cancel };
    let options = ["push", "--quiet", "--progress", "--no-follow-tags"];
    // A hook may print nothing.
    let limits = GitLimits { timeout: BRANCH_TIMEOUT, silence: BRANCH_TIMEOUT, cancel };
    let output = remote.git(&options, &format!("{commit}:refs/heads/{branch}"), limits)?;
    if output.success { Ok(()) } else { Err(RemoteError::Failed { message: message(output) }) }
}

fn message(output: GitOutput) -> String {
    if output.stderr.is_empty() { "git failed without a message".to_owned() } else { output.stderr }
}
