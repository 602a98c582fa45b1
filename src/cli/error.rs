//! What ends a command early.

use super::status::Status;
use crate::apply::ApplyError;
use crate::canon::io_diagnosis::advice;
use crate::git::commit::{CommitError, CommitErrorKind};
use crate::git::hooks::HooksError;
use crate::git::open::OpenError;
use crate::git::settings::SettingsLocked;
use crate::git::user::UserError;
use crate::view::ViewError;
use crate::view::locks::SurveyError;

/// One message, what to do, and the exit status.
#[derive(Clone, Debug)]
pub struct CliError {
    /// How the command ends.
    pub status: Status,
    /// What is wrong.
    pub message: String,
    /// What to do, where the message does not say it.
    pub help: Option<String>,
}

impl CliError {
    /// An error with its status.
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), help: None }
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// With what to do, where it goes back to an error of the system.
fn advised(told: CliError, error: &(dyn std::error::Error + 'static)) -> CliError {
    let causes = std::iter::successors(Some(error), |cause| cause.source());
    let advice = causes.filter_map(|cause| cause.downcast_ref::<std::io::Error>()).find_map(advice);
    match advice {
        Some(advice) if told.help.is_none() => told.help(advice),
        _ => told,
    }
}

/// An error and what caused it, in one sentence.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |cause| cause.source()) {
        let cause = cause.to_string();
        // Some errors repeat their cause in their own words.
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

impl From<OpenError> for CliError {
    fn from(error: OpenError) -> Self {
        advised(Self::new(Status::Unreadable, chain(&error)), &error)
    }
}

impl From<UserError> for CliError {
    fn from(error: UserError) -> Self {
        let told = Self::new(Status::Internal, error.to_string());
        let advice = error.source.as_ref().and_then(advice);
        match advice {
            Some(advice) => told.help(advice),
            None => told.help("it holds no history: move it away and run this again; `canonry sync --user --adopt --all` claims what equals the canon"),
        }
    }
}

impl From<ViewError> for CliError {
    fn from(error: ViewError) -> Self {
        let status = match &error {
            ViewError::Revision { .. } | ViewError::Bare => Status::Unreadable,
            ViewError::Git { .. } => Status::Internal,
        };
        let told = Self::new(status, error.to_string());
        match error {
            ViewError::Revision { .. } => {
                told.help("name a commit, a branch or a tag of this repository, such as HEAD")
            }
            ViewError::Bare | ViewError::Git { .. } => told,
        }
    }
}

impl From<SurveyError> for CliError {
    fn from(error: SurveyError) -> Self {
        match error {
            SurveyError::View(error) => error.into(),
            SurveyError::Conflict { ref path, .. } => Self::new(Status::Unreadable, error.to_string())
                .help(format!("run `canonry sync`, which resolves it, then `git add {path}`")),
            SurveyError::Lock { ref path, .. } | SurveyError::NoLock { ref path, .. } => Self::new(Status::Unreadable, error.to_string()).help(format!(
                "take one side whole, or restore it with `git checkout HEAD -- {path}`, then run `canonry sync`; where git \
                 has none, delete it and run `canonry sync --adopt --all`"
            )),
        }
    }
}

impl From<HooksError> for CliError {
    fn from(error: HooksError) -> Self {
        let status = match &error {
            HooksError::Bare | HooksError::Setting { .. } => Status::Unreadable,
            HooksError::Io { .. } => Status::Internal,
        };
        advised(Self::new(status, error.to_string()), &error)
    }
}

impl From<ApplyError> for CliError {
    fn from(error: ApplyError) -> Self {
        let status = match &error {
            ApplyError::Busy => Status::Contention,
            ApplyError::Io { .. } => Status::Internal,
            ApplyError::Interrupted => Status::Interrupted,
        };
        advised(Self::new(status, error.to_string()), &error)
    }
}

impl From<SettingsLocked> for CliError {
    fn from(error: SettingsLocked) -> Self {
        Self::new(Status::Contention, error.to_string())
            .help("run this again; if no other git is at work here, remove that file")
    }
}

impl From<CommitError> for CliError {
    fn from(error: CommitError) -> Self {
        let status = match error.kind() {
            CommitErrorKind::Contention => Status::Contention,
            CommitErrorKind::Refused => Status::Refused,
            CommitErrorKind::Unreadable => Status::Unreadable,
            CommitErrorKind::Internal => Status::Internal,
        };
        advised(Self::new(status, chain(&error)), &error)
    }
}
