//! Claims that several clones share: the remote's reference decides, and this clone's reference follows it.
//!
//! gix cannot push, so this starts the git binary.

use crate::exec::git::{FETCH, GitError, GitLimits, GitOutput, run_git, silence};
use crate::fs as writes;
use crate::git::ssh::without_questions;
use canonry_runs::plan::ClaimName;
use canonry_runs::plan::claim_name::CLAIMS;
use gix::ObjectId;
use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The name of the lock below `canonry/`.
const LOCK: &str = "claims.lock";
/// Time limit of one git command.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum wait for other processes of this clone that exchange claims.
const LOCK_WAIT: Duration = Duration::from_secs(120);
const LOCK_POLL: Duration = Duration::from_millis(10);

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

/// Response of a remote to a pushed claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pushed {
    Accepted,
    /// The reference was not as expected, or the remote does not accept it.
    Rejected {
        reason: String,
    },
}

/// The remote that decides about claims. While it exists, no other process of this clone exchanges claims: a fetch must
/// not overwrite what a push has just set.
#[derive(Debug)]
pub struct ClaimRemote<'a> {
    repo: &'a gix::Repository,
    name: &'a str,
    cancel: &'a AtomicBool,
    _lock: File,
}

impl<'a> ClaimRemote<'a> {
    /// Waits for other processes of this clone. If `cancel` is already true, the caller cleans up after an interruption:
    /// then only the timeout ends git.
    ///
    /// # Errors
    /// [`RemoteError::Busy`] if they do not finish, [`RemoteError::Lock`] if the lock cannot be used.
    pub fn open(repo: &'a gix::Repository, name: &'a str, cancel: &'a AtomicBool) -> Result<Self, RemoteError> {
        let cancel = if cancel.load(Ordering::Relaxed) { &NOT_CANCELLED } else { cancel };
        let folder = repo.common_dir().join("canonry");
        let path = folder.join(LOCK);
        let failed = |source| RemoteError::Lock { lock: path.clone(), source };
        writes::create_dir_all(&folder).map_err(failed)?;
        let lock = writes::open_or_create(File::options().truncate(false).write(true), &path).map_err(failed)?;
        let started = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { repo, name, cancel, _lock: lock }),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if cancel.load(Ordering::Relaxed) => {
                    return Err(GitError::Interrupted.into());
                }
                Err(TryLockError::WouldBlock) if started.elapsed() > LOCK_WAIT => {
                    return Err(RemoteError::Busy { lock: path });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_POLL),
            }
        }
    }

    /// Sets this clone's claims on a plan, given by the first part of their names, to those of the remote.
    ///
    /// # Errors
    /// The remote did not answer.
    pub fn fetch(&self, plan: &str) -> Result<(), RemoteError> {
        writes::failpoint::reach("fetch").map_err(GitError::Io)?;
        let options = [&FETCH[..], &["--prune", "--end-of-options", self.name]].concat();
        let output = self.git(&options, &format!("+{CLAIMS}/{plan}/*:{CLAIMS}/{plan}/*"))?;
        if output.success { Ok(()) } else { Err(RemoteError::Failed { message: message(output) }) }
    }

    /// Moves the remote's reference from `expected` to `new`; `None` is a missing reference.
    ///
    /// # Errors
    /// The remote did not answer. Then it is unknown whether it moved the reference.
    pub fn push(
        &self,
        name: &ClaimName,
        expected: Option<ObjectId>,
        new: Option<ObjectId>,
    ) -> Result<Pushed, RemoteError> {
        writes::failpoint::reach("push").map_err(GitError::Io)?;
        let reference = name.reference();
        let id = |id: Option<ObjectId>| id.map(|id| id.to_string()).unwrap_or_default();
        let lease = format!("--force-with-lease={reference}:{}", id(expected));
        let options = [
            "push",
            "--porcelain",
            // The user's hook is about commits.
            "--no-verify",
            "--no-signed",
            "--no-follow-tags",
            "--recurse-submodules=no",
            &lease,
            "--end-of-options",
            self.name,
        ];
        let output = self.git(&options, &format!("{}:{reference}", id(new)))?;
        // One line per reference: a flag, `<from>:<to>`, and a summary, separated by tabs.
        let rejected =
            output.stdout.lines().filter_map(|line| line.strip_prefix("!\t")).find_map(|line| line.split('\t').nth(1));
        match rejected {
            _ if output.success => Ok(Pushed::Accepted),
            Some(reason) => Ok(Pushed::Rejected { reason: reason.to_owned() }),
            None => Err(RemoteError::Failed { message: message(output) }),
        }
    }

    fn git(&self, options: &[&str], refspec: &str) -> Result<GitOutput, RemoteError> {
        // The repository is named, because variables such as `GIT_DIR` may be about another one.
        let mut git_dir = OsString::from("--git-dir=");
        git_dir.push(std::path::absolute(self.repo.git_dir()).map_err(GitError::Io)?);
        let mut args: Vec<&OsStr> = vec![&git_dir];
        if let Some(setting) = without_questions(self.repo) {
            args.extend(["-c", setting].map(OsStr::new));
        }
        args.extend(options.iter().map(OsStr::new));
        args.push(OsStr::new(refspec));
        // Relative URLs of remotes start at the top of the work tree.
        let folder = self.repo.workdir().unwrap_or_else(|| self.repo.git_dir());
        let silence = silence(&self.repo.config_snapshot());
        Ok(run_git(folder, &args, GitLimits { timeout: TIMEOUT, silence, cancel: self.cancel })?)
    }
}

fn message(output: GitOutput) -> String {
    if output.stderr.is_empty() { "git failed without a message".to_owned() } else { output.stderr }
}
