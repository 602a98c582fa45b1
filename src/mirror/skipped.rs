//! Why something of the canon is not mirrored.

use crate::canon::blob::BlobError;
use crate::syntax::RepoPath;

/// A skill or a file that is not mirrored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The skill's folder, or the file.
    pub path: RepoPath,
    /// Why.
    pub reason: SkipReason,
}

/// Why something is not mirrored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkipReason {
    /// No tool could read the skill, and it was not mirrored before.
    #[error("its SKILL.md has no frontmatter that can be read; `canonry check` says why")]
    InvalidFrontmatter,
    /// Another skill would have the same folder in a mirror, at least where case does not count.
    #[error("its folder's name is the same as that of {other}, at least where case does not count; rename one")]
    NameClash {
        /// The other skill.
        other: RepoPath,
    },
    /// Two of its files would be one where case does not count.
    #[error("the names of {file} and {other} are the same where case does not count; rename one")]
    FileNameClash {
        /// One file.
        file: RepoPath,
        /// The other.
        other: RepoPath,
    },
    /// A link in a skill's place that leads to nothing.
    #[error("{0}")]
    BrokenLink(BlobError),
    /// A merge is not resolved yet.
    #[error("{file} holds the conflict of a merge; resolve it, then run `canonry sync` again")]
    UnresolvedConflict {
        /// The file.
        file: RepoPath,
    },
    /// The file system refuses, or it is no file.
    #[error(
        "it cannot be read; put a plain file there and give yourself the right to read it, or take it out of the canon"
    )]
    Unreadable,
    /// A link that leaves the repository.
    #[error("it is a link to `{target}`, outside the repository")]
    LinkOutside {
        /// The link's text.
        target: String,
    },
    /// A link is wanted where git checks out none.
    #[error(
        "a link to it is wanted, and this checkout has no links (`core.symlinks` is false); say `mode: copy` in the config, \
         or allow links in the system, then `git config core.symlinks true`"
    )]
    LinksUnsupported,
    /// A name with control characters.
    #[error("its name holds control characters")]
    ControlCharacters,
    /// A commit of another repository.
    #[error("it is a submodule")]
    Submodule,
    /// Nobody knows what a tool should be shown of it.
    #[error("{file}: {message}; its mirrors stay as they are")]
    InvalidOverride {
        /// The file that says so.
        file: RepoPath,
        /// What is wrong with it.
        message: String,
    },
    /// A file of the canon of which a tool's file cannot be made.
    #[error("{0}")]
    UnusableSource(String),
}
