//! How a sync of one canon ended, or of several: what is told once all of it is done.

use super::args::Args;
use super::commit::{ToCommit, in_words};
use super::report::{Outcome, to_json};
use crate::app::Error;
use crate::app::Workspace;
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;

/// What came of it.
#[derive(Default)]
pub struct Ended {
    outcomes: Vec<Outcome>,
    to_commit: Option<ToCommit>,
    status: Status,
}

impl Ended {
    /// Of one canon.
    pub fn new(outcome: Outcome, status: Status) -> Self {
        Self { outcomes: vec![outcome], to_commit: None, status }
    }

    /// With what a commit takes.
    #[must_use]
    pub fn with(self, to_commit: Option<ToCommit>) -> Self {
        Self { to_commit, ..self }
    }

    /// Takes in another canon.
    pub fn add(&mut self, other: Self) {
        self.outcomes.extend(other.outcomes);
        if let Some(more) = other.to_commit {
            self.to_commit.get_or_insert_default().extend(more);
        }
        self.status = self.status.and(other.status);
    }

    /// Takes in that another canon failed.
    pub fn failed(&mut self, status: Status) {
        self.status = self.status.and(status);
    }

    /// Commits all of it at once where that is asked for, and tells what is left to tell.
    ///
    /// # Errors
    /// See [`crate::git::commit::CommitError`].
    pub fn finish(self, args: &Args, context: &Workspace, out: &Out<'_>) -> Result<Status, Error> {
        let committed = self.to_commit.as_ref().map(|to_commit| to_commit.commit(args, context)).transpose();
        // What was written is told, also where the commit failed.
        let made = committed.as_ref().ok().cloned().flatten().flatten();
        if args.format == Format::Json {
            let outcomes: Vec<&Outcome> = self.outcomes.iter().collect();
            out.result(&to_json(&outcomes, made.as_ref().map(|made| made.id.to_string())));
        }
        for path in self.to_commit.iter().flat_map(|to_commit| &to_commit.left_out) {
            out.remark(&format!("not committed: {path} holds changes that are not sync's; commit it yourself\n"));
        }
        if committed?.is_some() && args.format == Format::Human {
            out.result(&in_words(made.as_ref()));
        }
        Ok(self.status)
    }
}
