//! Skills and files that are not mirrored, with the reasons.

use canonry_model::canon::blob::BlobError;
use canonry_text::RepoPath;

/// A skill or a file that is not mirrored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The folder of the skill, or the file.
    pub path: RepoPath,
    pub reason: SkipReason,
}

/// Why a skill or a file is not mirrored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkipReason {
    /// No tool could read the skill, and it was not mirrored before.
    #[error("the frontmatter of its SKILL.md cannot be read; run `canonry check` for details")]
    InvalidFrontmatter,
    /// Another skill would use the same folder in a mirror.
    #[error("its folder name equals that of {other}, at least if case is ignored; rename one of them")]
    NameClash { other: RepoPath },
    #[error("the names of {file} and {other} are equal if case is ignored; rename one of them")]
    FileNameClash { file: RepoPath, other: RepoPath },
    /// The names look the same, but have different bytes.
    #[error("its folder name and that of {other} differ only in Unicode form; rename one of them")]
    UnicodeClash { other: RepoPath },
    #[error("the names of {file} and {other} differ only in Unicode form; rename one of them")]
    FileUnicodeClash { file: RepoPath, other: RepoPath },
    /// A link in place of a skill is broken.
    #[error("{0}")]
    BrokenLink(BlobError),
    #[error("{file} contains a merge conflict; resolve it, then run `canonry sync` again")]
    UnresolvedConflict { file: RepoPath },
    #[error("it cannot be read; make it a regular file that you may read, or remove it from the canon")]
    Unreadable,
    /// Git's clean filter for the file is not installed or fails.
    #[error("git's filter `{filter}` failed for this file; install it, then run `canonry sync` again")]
    FilterFailed { filter: String },
    #[error("it is a link to `{target}`, outside the repository")]
    LinkOutside { target: String },
    /// The config asks for links, but git does not check out links here.
    #[error(
        "it should be linked, but this checkout has no links (`core.symlinks` is false); set `mode: copy` in the config, \
         or allow links in the system, then run `git config core.symlinks true`"
    )]
    LinksUnsupported,
    #[error("its name contains control characters")]
    ControlCharacters,
    #[error("it is a submodule or another repository; the files in it belong there")]
    Submodule,
    #[error("git does not accept its name; rename it")]
    InvalidName,
    /// The content for a tool cannot be determined.
    #[error("{file}: {message}; its mirrors stay unchanged")]
    InvalidOverride { file: RepoPath, message: String },
    /// A tool file cannot be made from a canonical file.
    #[error("{0}")]
    UnusableSource(String),
}
