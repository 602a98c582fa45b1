//! Evidence for a report in the repository.

use canonry_text::RepoPath;
use gix_hash::ObjectId;

/// Evidence for a reported attempt in the repository. Everything that cannot be known is left out, so that rules
/// report only what is proved.
#[derive(Clone, Debug, Default)]
pub struct ReportEvidence {
    /// Whether the checked change adds or changes the report.
    pub is_new: bool,
    /// The state of `commit`, if it can be known.
    pub commit: Option<CommitEvidence>,
    /// The listed files that are not there, by their index in the entry.
    pub missing_files: Vec<usize>,
    /// The listed files that are still there although they are reported as deleted.
    pub remaining_files: Vec<usize>,
    /// The changes that belong to the attempt, if they can be known.
    pub changes: Option<AttemptChanges>,
}

/// Object that `commit` of a report names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitEvidence {
    /// There is no such object, although the clone has the whole history.
    Missing,
    /// An object of another kind.
    NotACommit,
    Exists(ObjectId),
}

/// The changes of an attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttemptChanges {
    /// The changed files outside the canon, sorted.
    pub files: Vec<RepoPath>,
    /// The added and removed lines of these files; `None` if they are not known.
    pub lines: Option<u64>,
}
