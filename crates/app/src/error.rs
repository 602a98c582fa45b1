//! The errors of jobs, and their conversion from the errors of lower layers.

use canonry_model::canon::io_diagnosis::advice;
use canonry_model::finding::Location;
use canonry_repo::apply::ApplyError;
use canonry_repo::apply::log_transaction::PrepareError;
use canonry_repo::git::claims::ClaimError;
use canonry_repo::git::commit::{CommitError, CommitErrorKind};
use canonry_repo::git::config::HooksError;
use canonry_repo::git::config::SettingsLocked;
use canonry_repo::git::open::OpenError;
use canonry_repo::git::user::UserError;
use canonry_repo::git::worktrees::WorktreeError;
use canonry_repo::view::ViewError;
use canonry_repo::view::locks::SurveyError;
use canonry_text::RepoPath;
use canonry_text::closest_match;

/// The classes of errors that a caller reacts to; the command line maps each to an exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request itself is wrong.
    Usage,
    /// The input cannot be read: a bad config, no canon, an unknown revision.
    Unreadable,
    /// Another process holds the lock, or another worker the claim.
    Contention,
    /// The transition or the overwrite is not allowed.
    Refused,
    /// An internal error, or the file system failed.
    Internal,
    /// The job was cancelled.
    Interrupted,
}

/// Why a job ended without an outcome: what is wrong, and what to do about it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The class of the error.
    pub kind: ErrorKind,
    /// Description of the problem.
    pub message: String,
    /// Remedy, if the message does not say it.
    pub help: Option<String>,
    /// The places in a file that the message names, to show their lines.
    pub places: Vec<Location>,
}

impl Error {
    /// A new error without help.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), help: None, places: Vec::new() }
    }

    /// Adds the places that the message names.
    #[must_use]
    pub fn places(mut self, places: Vec<Location>) -> Self {
        self.places = places;
        self
    }

    /// A file that another process changed between reading and writing it.
    pub(crate) fn changed_meanwhile(path: &RepoPath) -> Self {
        Self::new(ErrorKind::Contention, format!("{path} changed while this command ran and was left alone"))
            .help("run this again")
    }

    /// Suggests the known name that is most like the given one, otherwise what to do.
    #[must_use]
    pub fn suggest<'a>(
        self,
        given: &str,
        known: impl IntoIterator<Item = &'a str>,
        otherwise: impl Into<String>,
    ) -> Self {
        match closest_match(given, known) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None => self.help(otherwise),
        }
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Adds a remedy if the cause is a known error of the operating system.
fn with_advice(described: Error, error: &(dyn std::error::Error + 'static)) -> Error {
    let causes = std::iter::successors(Some(error), |cause| cause.source());
    let advice = causes.filter_map(|cause| cause.downcast_ref::<std::io::Error>()).find_map(advice);
    match advice {
        Some(advice) if described.help.is_none() => described.help(advice),
        _ => described,
    }
}

/// An error and its causes in one sentence.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |cause| cause.source()) {
        let cause = cause.to_string();
        // Some errors repeat the message of their cause.
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Self {
        with_advice(Self::new(ErrorKind::Unreadable, chain(&error)), &error)
    }
}

impl From<UserError> for Error {
    fn from(error: UserError) -> Self {
        let described = Self::new(ErrorKind::Internal, error.to_string());
        let advice = error.source.as_ref().and_then(advice);
        match advice {
            Some(advice) => described.help(advice),
            None => described.help("rename it and run this again: it contains no history, and `canonry sync --user --adopt --all` claims the mirrors that equal the canon"),
        }
    }
}

impl From<ViewError> for Error {
    fn from(error: ViewError) -> Self {
        let kind = match &error {
            ViewError::Revision { .. } | ViewError::Shallow { .. } | ViewError::Bare => ErrorKind::Unreadable,
            ViewError::Source(_) => ErrorKind::Internal,
        };
        let described = Self::new(kind, error.to_string());
        match error {
            ViewError::Revision { .. } => {
                described.help("name a commit, a branch or a tag of this repository, such as HEAD")
            }
            ViewError::Shallow { .. } => described.help("run `git fetch --unshallow`"),
            ViewError::Bare => described.help("name a commit with `--rev`"),
            ViewError::Source(_) => described,
        }
    }
}

impl From<SurveyError> for Error {
    fn from(error: SurveyError) -> Self {
        match error {
            SurveyError::View(error) => error.into(),
            SurveyError::InvalidLock { ref path, .. } | SurveyError::UnreadableLock { ref path, .. } => Self::new(ErrorKind::Unreadable, error.to_string()).help(format!(
                "keep one complete side of a merge, or restore it with `git checkout HEAD -- {path}`, then run `canonry sync`; if git \
                 has no version of it, delete it and run `canonry sync --adopt --all`"
            )),
        }
    }
}

impl From<HooksError> for Error {
    fn from(error: HooksError) -> Self {
        let kind = match &error {
            HooksError::Bare | HooksError::Setting { .. } => ErrorKind::Unreadable,
            HooksError::Io { .. } => ErrorKind::Internal,
        };
        with_advice(Self::new(kind, error.to_string()), &error)
    }
}

impl From<ApplyError> for Error {
    fn from(error: ApplyError) -> Self {
        let kind = match &error {
            ApplyError::Busy => ErrorKind::Contention,
            ApplyError::Elsewhere { .. } => ErrorKind::Refused,
            ApplyError::Io { .. } => ErrorKind::Internal,
            ApplyError::Interrupted => ErrorKind::Interrupted,
        };
        with_advice(Self::new(kind, error.to_string()), &error)
    }
}

impl From<PrepareError> for Error {
    fn from(error: PrepareError) -> Self {
        match error {
            PrepareError::Changed => ApplyError::Interrupted.into(),
            PrepareError::Apply(error) => error.into(),
        }
    }
}

impl From<SettingsLocked> for Error {
    fn from(error: SettingsLocked) -> Self {
        Self::new(ErrorKind::Contention, error.to_string())
            .help("run this again; if no other git process is running here, remove that file")
    }
}

/// Paths in a message: the first ten, and the number of the others.
pub(crate) fn listed(paths: &[RepoPath]) -> String {
    let shown: Vec<String> = paths.iter().take(10).map(RepoPath::to_display).collect();
    let more = if paths.len() > 10 { format!(" and {} more", paths.len() - 10) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

impl From<CommitError> for Error {
    fn from(error: CommitError) -> Self {
        let kind = match error.kind() {
            CommitErrorKind::Contention => ErrorKind::Contention,
            CommitErrorKind::Refused => ErrorKind::Refused,
            CommitErrorKind::Unreadable => ErrorKind::Unreadable,
            CommitErrorKind::Internal => ErrorKind::Internal,
        };
        with_advice(Self::new(kind, chain(&error)), &error)
    }
}

impl From<WorktreeError> for Error {
    fn from(error: WorktreeError) -> Self {
        let kind = match &error {
            WorktreeError::BranchTaken { .. }
            | WorktreeError::CheckedOut { .. }
            | WorktreeError::FolderTaken { .. }
            | WorktreeError::Dirty { .. }
            | WorktreeError::OtherBranch { .. }
            | WorktreeError::NoWorktree { .. } => ErrorKind::Refused,
            WorktreeError::Name { .. } => ErrorKind::Unreadable,
            WorktreeError::Interrupted => ErrorKind::Interrupted,
            WorktreeError::Git(_) => ErrorKind::Internal,
        };
        match error {
            WorktreeError::Git(error) => error.into(),
            error => with_advice(Self::new(kind, chain(&error)), &error),
        }
    }
}

impl From<ClaimError> for Error {
    fn from(error: ClaimError) -> Self {
        match &error {
            ClaimError::Moved => Self::new(ErrorKind::Contention, error.to_string()).help("run this again"),
            ClaimError::Locked { .. } => Self::new(ErrorKind::Contention, error.to_string())
                .help("run this again; if no git process is running here, remove that file"),
            ClaimError::Git { .. } => with_advice(Self::new(ErrorKind::Internal, chain(&error)), &error),
        }
    }
}
