//! Making every former content beside its file.

use super::draft::{Draft, Made, Sink, Source};
use super::error::BackError;
use super::journal::{Added, Aim, Change, How, Journal, Swap};
use super::rebuild::Rebuilt;
use super::undo::{Record, Returned, Step, What};
use super::{LogTransaction, Note, on_disk};
use crate::apply::{ApplyError, Session};
use crate::syntax::RepoPath;
use crate::view::View;
use std::fs::File;
use std::io::{self, Seek as _, SeekFrom};
use tempfile::TempPath;

impl<'s> LogTransaction<'s> {
    /// Writes all that is to change when a dream is taken back beside what it changes, and then the journal.
    ///
    /// # Errors
    /// See [`BackError`]; then nothing is left behind.
    pub fn prepare_back(
        session: &'s Session,
        view: &'s View,
        record: &Record,
        note: Option<Note>,
    ) -> Result<(Self, Vec<Returned>), BackError> {
        let steps = record.steps(view)?;
        let (mut journal, mut made) = (Journal { commit: note, aim: Aim::Back, ..Journal::default() }, Vec::new());
        let mut rebuilt = None;
        if let (Some(rebuild), Some(swap)) = (record.rebuild(view, &steps)?, &record.journal.log) {
            let mut draft = Draft::begin(view, &RepoPath::from(swap.path.as_str()))?;
            let log = rebuild.run(&mut draft)?;
            let done = draft.end()?;
            journal.log = Some(swap_back(swap, &log, done.name));
            made.push(done.file);
            rebuilt = Some(log);
        }
        for step in &steps {
            let (change, file) = change_back(view, step)?;
            journal.files.push(change);
            made.push(file);
        }
        let returned = record.returned(view, &steps, rebuilt.as_ref())?;
        Ok((Self::begin(session, view, journal, made)?, returned))
    }
}

fn swap_back(swap: &Swap, rebuilt: &Rebuilt, made: String) -> Swap {
    Swap {
        path: swap.path.clone(),
        made,
        size: rebuilt.left.size,
        digest: rebuilt.left.digest.to_hex().to_string(),
        length: swap.size,
        moves: None,
        unended: rebuilt.unended,
    }
}

fn change_back(view: &View, step: &Step) -> Result<(Change, TempPath), ApplyError> {
    let mut draft = Draft::begin(view, &step.path)?;
    let how = match &step.what {
        What::Restore { bytes, modified } => {
            draft.write(bytes)?;
            draft.date(*modified)?;
            How::Replace
        }
        What::Cut { added, .. } => {
            around(view, step, added, &mut draft)?;
            How::Cut(added.clone())
        }
    };
    let Made { name: made, file, .. } = draft.end()?;
    Ok((Change { path: step.path.to_display(), made, was: Some(step.was.clone()), how, trace: None }, file))
}

/// All of a file but what was added.
fn around(view: &View, step: &Step, added: &Added, to: &mut impl Sink) -> Result<(), ApplyError> {
    let unreadable = |e: io::Error| ApplyError::io(&step.path, "cannot be read")(e);
    let open = |at: u64| -> Result<Source<File>, ApplyError> {
        let mut file = File::open(on_disk(view, &step.path)?).map_err(unreadable)?;
        file.seek(SeekFrom::Start(at)).map_err(unreadable)?;
        Ok(Source::new(&step.path, file))
    };
    open(0)?.copy(added.offset, to)?;
    open(added.offset + added.length)?.copy(u64::MAX, to).map(|_| ())
}
