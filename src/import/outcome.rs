//! What an import takes and what it does not.

use crate::edit::Edit;
use crate::syntax::RepoPath;

/// What an import does.
#[derive(Debug, Default)]
pub struct Import {
    /// New files of the canon.
    pub edits: Vec<Edit>,
    /// What is in the canon afterwards.
    pub taken: Vec<Taken>,
    /// What is not, and why.
    pub left: Vec<Left>,
    /// What is not because the canon has something else there.
    pub refused: Vec<Refused>,
    /// The config that matches; `None` where there is nothing to say.
    pub config: Option<Config>,
    /// What to do with what it was taken from.
    pub next: Vec<String>,
}

/// A file, or a skill with its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Where it stands; more than one where several are the same.
    pub from: Vec<RepoPath>,
    /// Where it is in the canon.
    pub to: RepoPath,
    /// The files it has.
    pub files: usize,
    /// Those of them that the canon did not have.
    pub new: usize,
    /// What is not as it was.
    pub changes: Vec<String>,
}

/// Something that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// What.
    pub path: RepoPath,
    /// Why.
    pub why: String,
    /// What to do about it; empty where there is nothing to do.
    pub advice: String,
    /// Whether it could not be read.
    pub unreadable: bool,
}

/// Something that is not written over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What was to be taken.
    pub from: RepoPath,
    /// Where it would go.
    pub to: RepoPath,
    /// Why it does not.
    pub why: String,
}

/// A config that matches what the origin wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Where it goes.
    pub path: RepoPath,
    /// What it says.
    pub text: String,
    /// Whether it is written: only where there is none.
    pub written: bool,
}
