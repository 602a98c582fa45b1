//! The journal of a run on disk, and the state that is derived from it.

use super::run_folder::RunFolder;
use crate::attempt::record_file::failed;
use crate::{Error, ErrorKind, Timestamp};
use canonry_repo::apply::journal_file::JournalFile;
use canonry_repo::apply::write_derived;
use canonry_runs::workflow::event::{JournalEntry, RunEvent};
use canonry_runs::workflow::journal::{self, JournalError};
use canonry_runs::workflow::run_state::{RunPosition, RunState};
use serde_json::json;
use std::path::{Path, PathBuf};

/// An open journal.
#[derive(Debug)]
pub(super) struct RunJournal {
    path: PathBuf,
    state_path: PathBuf,
    file: JournalFile,
    pub state: RunState,
    /// All entries read so far.
    pub entries: Vec<JournalEntry>,
    /// The length of the lines in `entries`.
    offset: u64,
    /// The length of a torn last line.
    torn: usize,
}

impl RunJournal {
    /// Creates the journal of a new run.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if the file system refused.
    pub fn create(folder: &RunFolder, start: RunEvent, now: Timestamp) -> Result<Self, Error> {
        let path = folder.journal();
        let (bytes, _) = journal::lines(&[start], 0, 0, now);
        JournalFile::create(&path, &bytes).map_err(|e| failed(&path, &e))?;
        let journal = Self::open(folder)?;
        journal.write_state()?;
        Ok(journal)
    }

    /// Opens the journal of a run.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if it is damaged or has another version; [`ErrorKind::Internal`] if it cannot be read.
    pub fn open(folder: &RunFolder) -> Result<Self, Error> {
        let path = folder.journal();
        let file = JournalFile::open(&path).map_err(|e| failed(&path, &e))?;
        let state = RunState::from_entries([]);
        let mut journal =
            Self { state_path: folder.state(), path, file, state, entries: Vec::new(), offset: 0, torn: 0 };
        journal.refresh()?;
        if journal.entries.is_empty() {
            return Err(damaged(&journal.path, &JournalError::Empty));
        }
        Ok(journal)
    }

    /// Reads the state of a run without keeping what happened.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn read_state(folder: &RunFolder) -> Result<RunState, Error> {
        let path = folder.journal();
        let bytes = JournalFile::open(&path).and_then(|mut file| file.read_from(0)).map_err(|e| failed(&path, &e))?;
        let mut state = RunState::from_entries([]);
        journal::read_lines(&bytes, 0, |entry| state.apply(entry)).map_err(|e| damaged(&path, &e))?;
        if state.last == 0 { Err(damaged(&path, &JournalError::Empty)) } else { Ok(state) }
    }

    /// Reads what other processes appended.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn refresh(&mut self) -> Result<(), Error> {
        let bytes = self.file.read_from(self.offset).map_err(|e| failed(&self.path, &e))?;
        let state = &mut self.state;
        let entries = &mut self.entries;
        let torn = journal::read_lines(&bytes, state.last, |entry| {
            entries.push(entry.clone());
            state.apply(entry);
        });
        self.torn = torn.map_err(|e| damaged(&self.path, &e))?;
        self.offset += (bytes.len() - self.torn) as u64;
        Ok(())
    }

    /// Reads what other processes appended, if the file grew.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn refresh_if_changed(&mut self) -> Result<(), Error> {
        let length = std::fs::metadata(&self.path).map_err(|e| failed(&self.path, &e))?.len();
        if length == self.offset + self.torn as u64 { Ok(()) } else { self.refresh() }
    }

    /// Appends the events that `decide` makes of the state. No other process appends between the look and the write.
    ///
    /// # Errors
    /// Those of `decide`; see also [`Self::open`].
    pub fn update<T>(
        &mut self,
        now: Timestamp,
        decide: impl FnOnce(&RunState) -> Result<(Vec<RunEvent>, T), Error>,
    ) -> Result<T, Error> {
        let path = self.path.clone();
        let lock = self.file.lock().map_err(|e| failed(&path, &e))?;
        self.refresh()?;
        let (events, result) = decide(&self.state)?;
        if !events.is_empty() {
            let (bytes, entries) = journal::lines(&events, self.state.last, self.torn, now);
            self.file.append(&bytes).map_err(|e| failed(&path, &e))?;
            self.offset += (self.torn + bytes.len()) as u64;
            self.torn = 0;
            for entry in entries {
                self.entries.push(entry.clone());
                self.state.apply(entry);
            }
            self.write_state()?;
        }
        drop(lock);
        Ok(result)
    }

    /// Appends events whatever the state is.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn append(&mut self, now: Timestamp, events: Vec<RunEvent>) -> Result<(), Error> {
        self.update(now, |_| Ok((events, ())))
    }

    /// Waits until the disk has the journal: what follows has an effect outside of the repository.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if the file system refused.
    pub fn sync(&self) -> Result<(), Error> {
        self.file.sync().map_err(|e| failed(&self.path, &e))
    }

    /// Writes the summary of the state for other programs. It is never read back.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if the file system refused.
    pub fn write_state(&self) -> Result<(), Error> {
        let state = &self.state;
        let (position, name) = match &state.position {
            RunPosition::Start => ("start", None),
            RunPosition::Step(step) => ("step", Some(step)),
            RunPosition::Gate { id, .. } => ("gate", Some(id)),
            RunPosition::Person { step, .. } => ("person", Some(step)),
            RunPosition::Ending { .. } | RunPosition::Ended => ("end", None),
        };
        let current = state
            .current
            .as_ref()
            .map(|current| json!({ "step": current.step, "visit": current.visit, "attempt": current.attempt }));
        let summary = json!({
            "schema": "canonry/workflow-state/v1",
            "run": state.start.run,
            "workflow": state.start.workflow,
            "last": state.last,
            "position": { "kind": position, "name": name },
            "current": current,
            "question": state.question,
            "end": state.end.as_ref().map(|(end, reason)| json!({ "end": end, "reason": reason })),
        });
        let bytes = serde_json::to_vec_pretty(&summary).expect("a JSON value has a text");
        let folder = self.state_path.parent().unwrap_or(&self.state_path).to_owned();
        write_derived(&folder, &self.state_path, &bytes).map_err(|e| failed(&self.state_path, &e))
    }
}

fn damaged(path: &Path, error: &JournalError) -> Error {
    let message = format!("{}: {error}", path.display());
    let help = match error {
        JournalError::OtherVersion(_) => "use the canonry that began the run, or start a new run",
        _ => "restore the file from a backup, or start a new run; canonry never changes written lines",
    };
    Error::new(ErrorKind::Unreadable, message).help(help)
}
