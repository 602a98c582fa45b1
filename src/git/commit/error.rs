//! Why a commit was not made.

use std::path::PathBuf;

use gix::ObjectId;
use gix::bstr::BString;

/// The classes of [`CommitError`] that a caller acts upon, one for each exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitErrorKind {
    /// Someone else works on the repository at this moment: trying again may help.
    Contention,
    /// The state of the repository or the paths asked for forbid the commit.
    Refused,
    /// Configuration or input that cannot be used as it stands.
    Unreadable,
    /// The file system, a filter, or git's data failed.
    Internal,
}

/// Why no commit was made. Unless said otherwise, branch and index are as they were.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// The index is being changed by another process.
    #[error("another process holds `{}`; wait for it, or remove that file if no git command is running", lock.display())]
    IndexLocked {
        /// The lock file that is in the way.
        lock: PathBuf,
    },
    /// The branch is being changed by another process.
    #[error("another process is updating the branch; wait for it and try again")]
    RefLocked {
        /// Names the lock file.
        source: gix::Error,
    },
    /// HEAD, or the branch that was asked for, is no longer the commit that this one was made upon.
    #[error("{name} moved while the commit was made; try again")]
    Moved {
        /// `HEAD`, or the name of the branch.
        name: BString,
        /// Names the reference.
        source: gix::Error,
    },
    /// A merge, rebase, cherry-pick, revert or `git am` is not finished.
    #[error("{operation} is in progress; finish or abort it with git before committing")]
    InProgress {
        /// The operation with its article, as in `a merge`.
        operation: &'static str,
    },
    /// The branch that should be committed onto is checked out elsewhere, where it would look as if all had been undone.
    #[error(
        "the branch `{branch}` is checked out at `{}`; run this there, or have that work tree switch to another branch",
        at.display()
    )]
    BranchInUse {
        /// Its name.
        branch: String,
        /// The other work tree.
        at: PathBuf,
    },
    /// A path that should be committed has a conflict.
    #[error("`{path}` has an unresolved conflict; resolve it and run `git add` on it")]
    Unmerged {
        /// Relative to the repository.
        path: BString,
    },
    /// A path that should be committed lies in a folder which the sparse index has collapsed.
    #[error("`{path}` lies outside of the sparse checkout; run `git sparse-checkout add` on its folder")]
    OutsideSparse {
        /// Relative to the repository.
        path: BString,
    },
    /// A path that should be committed belongs to a submodule or to a repository nested in this one.
    #[error("`{path}` belongs to another repository at `{root}`; commit it there")]
    OtherRepository {
        /// Relative to the repository.
        path: BString,
        /// The nested repository, relative to the outer one.
        root: BString,
    },
    /// A tracked path is now something that git cannot hold, such as a socket.
    #[error("`{path}` is neither a file nor a link; remove it or put the file back")]
    NotAFile {
        /// Relative to the repository.
        path: BString,
    },
    /// A path that git would never take.
    #[error("`{path}` cannot be in a commit: use a path within the repository, without `.`, `..` and `.git`")]
    InvalidPath {
        /// As it was given.
        path: BString,
        /// What is wrong with one of its components.
        source: gix::validate::path::component::Error,
    },
    /// The message holds nothing but white space.
    #[error("the commit message is empty; say what changed")]
    EmptyMessage,
    /// There is no name or no address to put into the commit.
    #[error(
        "git does not know who the {role} is; run `git config user.name NAME` and `git config user.email ADDRESS`, \
         or set {variable}_NAME and {variable}_EMAIL"
    )]
    IdentityMissing {
        /// `author` or `committer`.
        role: &'static str,
        /// What the names of the environment variables begin with.
        variable: &'static str,
    },
    /// A pathspec that cannot be parsed.
    #[error("a pathspec cannot be understood; see `git help glossary` under pathspec")]
    Pathspec {
        /// What gix says.
        source: gix::Error,
    },
    /// There is no work tree to commit from.
    #[error("the repository is bare; run this where its files are checked out")]
    Bare,
    /// A clean filter or line-ending conversion failed.
    #[error("the filters of `{path}` failed; check its `.gitattributes` and `git config --get-regexp ^filter`")]
    Filter {
        /// Relative to the repository.
        path: BString,
        /// What the filter said.
        source: gix::Error,
    },
    /// The commit could not be signed.
    #[error("the commit could not be signed; check `user.signingKey`, or turn `commit.gpgSign` off")]
    Sign {
        /// What the signing program said.
        source: gix::Error,
    },
    /// A file of the work tree or of git cannot be read or written.
    #[error("`{}` cannot be accessed; check its permissions and the disk", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Reading or writing git's own data failed.
    #[error("git's data failed: cannot {doing}; `git fsck` finds what is broken")]
    Git {
        /// What was attempted, as in `read the index`.
        doing: &'static str,
        /// What gix says.
        source: gix::Error,
    },
    /// The commit was made, but the index still shows the state before it.
    #[error(
        "commit {id} was made, but the index could not be replaced; `git reset -- PATH` on its paths brings it up to date"
    )]
    IndexNotPublished {
        /// The new commit; HEAD points to it.
        id: ObjectId,
        /// What the system said.
        source: std::io::Error,
    },
}

impl CommitError {
    /// The class of this error, which decides the exit status.
    pub fn kind(&self) -> CommitErrorKind {
        match self {
            Self::IndexLocked { .. } | Self::RefLocked { .. } | Self::Moved { .. } => CommitErrorKind::Contention,
            Self::InProgress { .. }
            | Self::BranchInUse { .. }
            | Self::Unmerged { .. }
            | Self::OutsideSparse { .. }
            | Self::OtherRepository { .. }
            | Self::NotAFile { .. }
            | Self::InvalidPath { .. }
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

    /// For `map_err` on calls into gix: `doing` completes "cannot …".
    pub(super) fn git(doing: &'static str) -> impl Fn(gix::Error) -> Self {
        move |source| Self::Git { doing, source }
    }

    pub(super) fn git_io(doing: &'static str) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Git { doing, source: gix::Error::from_error(source) }
    }
}
