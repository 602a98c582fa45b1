//! Errors of a commit.

use std::path::PathBuf;

use gix::ObjectId;
use gix::bstr::BString;

/// The classes of [`CommitError`], one per exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitErrorKind {
    /// Another process works on the repository. Trying again may help.
    Contention,
    /// The state of the repository, or a path, does not allow the commit.
    Refused,
    /// Invalid configuration or input.
    Unreadable,
    /// The file system, a filter or git's data failed.
    Internal,
}

/// Why no commit was made. Unless noted otherwise, branch and index are unchanged.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Another process is changing the index.
    #[error("another process holds `{}`; wait for it, or remove that file if no git command is running", lock.display())]
    IndexLocked {
        /// The lock file.
        lock: PathBuf,
    },
    /// Another process is updating the branch.
    #[error("another process is updating the branch; wait for it and try again")]
    RefLocked { source: gix::Error },
    /// HEAD or the target branch moved since the commit began.
    #[error("{name} moved while the commit was made; try again")]
    Moved {
        /// `HEAD`, or the name of the branch.
        name: BString,
        source: gix::Error,
    },
    /// A merge, rebase, cherry-pick, revert or `git am` is in progress.
    #[error("{operation} is in progress; finish or abort it with git before committing")]
    InProgress {
        /// The operation with its article, such as `a merge`.
        operation: &'static str,
    },
    /// The target branch is checked out in another work tree, where the commit would look like reverted changes.
    #[error(
        "the branch `{branch}` is checked out at `{}`; run this there, or have that work tree switch to another branch",
        at.display()
    )]
    BranchInUse {
        branch: String,
        /// The other work tree.
        at: PathBuf,
    },
    /// A path has a conflict.
    #[error("`{path}` has an unresolved conflict; resolve it and run `git add` on it")]
    Unmerged { path: BString },
    /// A path belongs to a submodule or a nested repository.
    #[error("`{path}` belongs to another repository at `{root}`; commit it there")]
    OtherRepository {
        path: BString,
        /// The nested repository, relative to the outer one.
        root: BString,
    },
    /// A tracked path is now something that git cannot store, such as a socket.
    #[error("`{path}` is neither a file nor a link; remove it or put the file back")]
    NotAFile { path: BString },
    /// git does not accept the path.
    #[error("`{path}` cannot be in a commit: use a path within the repository, without `.`, `..` and `.git`")]
    InvalidPath {
        /// The path as given.
        path: BString,
        source: gix::validate::path::component::Error,
    },
    #[error("the commit message is empty; say what changed")]
    EmptyMessage,
    /// Name or email address is not configured.
    #[error(
        "git does not know who the {role} is; run `git config user.name NAME` and `git config user.email ADDRESS`, \
         or set {variable}_NAME and {variable}_EMAIL"
    )]
    IdentityMissing {
        /// `author` or `committer`.
        role: &'static str,
        /// The prefix of the environment variables.
        variable: &'static str,
    },
    /// A hook ended with a status other than 0.
    #[error(
        "git's hook `{name}` refused the commit ({status}); fix what it reports, or use `--no-verify`{}",
        indented(output)
    )]
    HookRefused {
        name: &'static str,
        /// Such as `exit status: 1`.
        status: String,
        /// Output of the hook.
        output: String,
    },
    #[error("git's hook `{}` cannot be run; check its first line and its permissions", path.display())]
    HookNotRun { name: &'static str, path: PathBuf, source: std::io::Error },
    #[error("a pathspec cannot be understood; see `git help glossary` under pathspec")]
    Pathspec { source: gix::Error },
    #[error("the repository is bare; run this where its files are checked out")]
    Bare,
    /// A clean filter or line-ending conversion failed.
    #[error("the filters of `{path}` failed; check its `.gitattributes` and `git config --get-regexp ^filter`")]
    Filter { path: BString, source: gix::Error },
    #[error("the commit could not be signed; check `user.signingKey`, or turn `commit.gpgSign` off")]
    Sign { source: gix::Error },
    /// A file cannot be read or written.
    #[error("`{}` cannot be accessed; check its permissions and the disk", path.display())]
    File { path: PathBuf, source: std::io::Error },
    /// Reading or writing git's data failed.
    #[error("git failed: cannot {doing}")]
    Git {
        /// The failed operation, such as `read the index`.
        doing: &'static str,
        source: gix::Error,
    },
    /// The commit was made, but the index still has the state before it.
    #[error(
        "commit {id} was made, but the index could not be replaced; `git reset -- PATH` on its paths brings it up to date"
    )]
    IndexNotPublished {
        /// The new commit, which HEAD points to.
        id: ObjectId,
        source: std::io::Error,
    },
}

impl CommitError {
    /// The class of the error, which decides the exit status.
    pub fn kind(&self) -> CommitErrorKind {
        match self {
            Self::IndexLocked { .. } | Self::RefLocked { .. } | Self::Moved { .. } => CommitErrorKind::Contention,
            Self::InProgress { .. }
            | Self::BranchInUse { .. }
            | Self::Unmerged { .. }
            | Self::OtherRepository { .. }
            | Self::NotAFile { .. }
            | Self::InvalidPath { .. }
            | Self::HookRefused { .. }
            | Self::HookNotRun { .. }
            | Self::EmptyMessage => CommitErrorKind::Refused,
            Self::IdentityMissing { .. } | Self::Pathspec { .. } => CommitErrorKind::Unreadable,
            Self::Bare
            | Self::Filter { .. }
            | Self::Sign { .. }
            | Self::File { .. }
            | Self::Git { .. }
            | Self::IndexNotPublished { .. } => CommitErrorKind::Internal,
        }
    }

    /// For `map_err` on calls of gix; `doing` completes "cannot …".
    pub(in crate::git) fn git(doing: &'static str) -> impl Fn(gix::Error) -> Self {
        move |source| Self::Git { doing, source }
    }

    pub(in crate::git) fn git_io(doing: &'static str) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Git { doing, source: gix::Error::from_error(source) }
    }
}

/// The output of a hook below a message.
fn indented(output: &str) -> String {
    output.lines().map(|line| format!("\n  | {line}")).collect()
}
