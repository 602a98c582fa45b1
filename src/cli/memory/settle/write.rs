//! Writing down what was decided.

use super::settled::{Desk, NewLessons, Settled};
use crate::apply::ApplyError;
use crate::apply::transfer::{Changes, FileChange, PrepareError, Transfer};
use crate::cli::dream;
use crate::cli::error::CliError;
use crate::cli::status::Status;
use crate::git::commit::Committed;
use crate::memory::review::Event;

/// What the archive of lessons begins with.
const RETIRED: &str = "# Retired lessons\n\nThey hold no more, and are kept as they were.\n\n";

impl Desk<'_> {
    /// Writes and commits it.
    ///
    /// # Errors
    /// See [`CliError`].
    pub fn write(&self, settled: &Settled, no_commit: bool) -> Result<Option<Committed>, CliError> {
        if settled.events.is_empty() {
            return Ok(None);
        }
        let layout = &self.context.layout;
        let lines: Result<String, _> = settled.events.iter().map(Event::line).collect();
        let lines = lines.map_err(|e| CliError::new(Status::Internal, e.to_string()))?;
        let mut files = Vec::new();
        let before = self.waiting.lessons.as_deref();
        match &settled.lessons {
            Some(NewLessons::Longer(added)) if !added.text.is_empty() => {
                files.push(FileChange::Append { path: layout.lessons(), before, text: added.text.clone() });
            }
            Some(NewLessons::Other(now)) => {
                files.push(FileChange::Replace { path: layout.lessons(), before, now: now.as_bytes() });
            }
            _ => {}
        }
        let archived = self.waiting.archived.as_deref();
        if let Some(line) = &settled.retired {
            let text = if archived.is_none() { format!("{RETIRED}{line}") } else { line.clone() };
            files.push(FileChange::Append { path: layout.retired_lessons(), before: archived, text });
        }
        if let Some((path, draft)) = &settled.skill {
            files.push(FileChange::Replace { path: path.clone(), before: None, now: draft.as_bytes() });
        }
        let review = self.waiting.review.as_deref();
        files.push(FileChange::Append { path: layout.review(), before: review, text: lines });
        let mut changes = Changes { log: None, files, commit: None };
        if !no_commit {
            let message = format!("{}\n\n{}\n", settled.message, self.reason);
            changes.commit = Some(dream::note(&changes, layout, message));
        }
        let mut transfer = match Transfer::prepare(self.session, &self.context.view, changes) {
            Ok(transfer) => transfer,
            Err(PrepareError::Changed) => return Err(ApplyError::Interrupted.into()),
            Err(PrepareError::Apply(error)) => return Err(error.into()),
        };
        let finished = transfer.finish()?;
        let commit = transfer.note().map(|note| dream::commit_note(self.context, note)).transpose()?.flatten();
        transfer.close()?;
        match finished.overtaken.first() {
            None => Ok(commit),
            Some(path) => Err(CliError::new(
                Status::Contention,
                format!("{path} was changed while this ran, and was left as it is"),
            )
            .help("run this again")),
        }
    }
}
