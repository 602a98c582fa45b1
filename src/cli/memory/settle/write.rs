//! Writing down what was decided.

use super::settled::{NewLessons, ReviewContext, Settled};
use crate::app::{Error, ErrorKind};
use crate::apply::ApplyError;
use crate::apply::log_transaction::{FileChange, LogChanges, LogTransaction, PendingCommit, PrepareError};
use crate::cli::dream;
use crate::cli::dream::carry::{carry_out, commit_note, onto_branch};
use crate::git::commit::Committed;
use crate::memory::review::{Event, behind};

/// What the archive of lessons begins with.
const RETIRED: &str = "# Retired lessons\n\nThey hold no more, and are kept as they were.\n\n";

impl ReviewContext<'_> {
    /// Writes and commits it.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn write(&self, settled: &Settled, no_commit: bool) -> Result<Option<Committed>, Error> {
        if settled.events.is_empty() {
            return Ok(None);
        }
        let layout = &self.context.layout;
        let lines: Result<String, _> = settled.events.iter().map(Event::line).collect();
        let lines = lines.map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))?;
        let mut files = Vec::new();
        let before = self.waiting.lessons.as_deref().map(str::as_bytes);
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
            files.push(FileChange::Append {
                path: layout.retired_lessons(),
                before: archived,
                text: behind(archived, text),
            });
        }
        if let Some((path, draft)) = &settled.skill {
            files.push(FileChange::Replace { path: path.clone(), before: None, now: draft.as_bytes() });
        }
        let review = self.waiting.review.as_deref();
        files.push(FileChange::Append { path: layout.review(), before: review, text: behind(review, lines) });
        let mut changes = LogChanges { log: None, files, commit: None };
        if !no_commit {
            changes.commit = Some(self.note(&changes, settled)?);
        }
        let transfer = match LogTransaction::prepare(self.session, &self.context.view, changes) {
            Ok(transfer) => transfer,
            Err(PrepareError::Changed) => return Err(ApplyError::Interrupted.into()),
            Err(PrepareError::Apply(error)) => return Err(error.into()),
        };
        let carried = carry_out(self.context, transfer, commit_note)?;
        match carried.overtaken.first() {
            None => Ok(carried.commit),
            Some(path) => {
                let message = format!("{path} was changed while this ran, and was left as it is");
                Err(Error::new(ErrorKind::Contention, message).help("run this again"))
            }
        }
    }

    /// Where the memory has a branch of its own, a skill is not for that one: it stays in the work tree.
    fn note(&self, changes: &LogChanges<'_>, settled: &Settled) -> Result<PendingCommit, Error> {
        let message = format!("{}\n\n{}\n", settled.message, self.reason);
        let mut note = dream::note(changes, &self.context.layout, message);
        // The rows of the day are the next dream's to commit.
        let log = self.context.layout.log().to_display();
        note.paths.retain(|path| *path != log);
        let mut note = onto_branch(self.context, note)?;
        if let (Some(_), Some((skill, _))) = (&note.branch, &settled.skill) {
            note.paths.retain(|path| *path != skill.to_display());
        }
        Ok(note)
    }
}
