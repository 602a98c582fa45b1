//! Undoes the last dream: the log gets its rows back, and every other file loses what was added or gets its old content.

use super::added_range::{FoundRange, find};
use super::draft::{ByteSink, Discard, Draft, FinishedDraft, HashingReader};
use super::finish::content_digest;
use super::rebuild::{LogRebuilder, MovedRows, RebuiltLog};
use super::{LogTransaction, PendingCommit, UndoError, on_disk, undo_store};
use crate::apply::journal::{
    self, AddedRange, FileReplacement, LogEntry, LogRewrite, Purpose, ReplaceMethod, UndoInfo,
};
use crate::apply::{ApplyError, Session};
use crate::view::View;
use canonry_text::RepoPath;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// The record of the last dream.
pub struct DreamRecord {
    folder: PathBuf,
    entry: LogEntry,
}

/// Effect of an undo on a file.
#[derive(Debug)]
pub struct UndoneFile {
    /// The file.
    pub path: RepoPath,
    pub action: UndoAction,
    /// Number of rows that the file gets or loses, if it consists of rows.
    pub rows: Option<usize>,
    /// The current content, and the content afterwards, `None` if the file is removed. Not given for rows.
    pub contents: Option<(Vec<u8>, Option<Vec<u8>>)>,
}

/// Action of an undo on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoAction {
    /// The log gets its rows back.
    Returned,
    /// The file is removed.
    Removed,
    /// The added part is removed.
    Cut,
    /// The old content is restored.
    Restored,
}

impl fmt::Display for UndoAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Returned => "returned",
            Self::Removed => "removed",
            Self::Cut => "cut",
            Self::Restored => "restored",
        })
    }
}

/// The undoing of one file.
struct UndoStep {
    /// The file's index in the record.
    at: usize,
    path: RepoPath,
    /// BLAKE3 of the current content.
    current: String,
    change: UndoChange,
}

enum UndoChange {
    /// Remove a range; `is_all` if the file is removed with it.
    Remove { range: AddedRange, is_all: bool },
    /// Restore the old content and modification time.
    Restore { bytes: Vec<u8>, modified: Option<(u64, u32)> },
}

impl DreamRecord {
    /// Reads the record of the last dream; `None` if there is none, or if the dream was undone.
    ///
    /// # Errors
    /// The record cannot be read.
    pub fn last(git_dir: &Path) -> Result<Option<Self>, ApplyError> {
        let folder = git_dir.join("canonry");
        let entry = journal::load_record(&folder).map_err(ApplyError::io(
            journal::record_path(&folder).display(),
            "the record of the last dream is not readable",
        ))?;
        Ok(entry.map(|entry| Self { folder, entry }))
    }

    /// The dream's commit message.
    pub fn message(&self) -> &str {
        match &self.entry.purpose {
            Purpose::Dream(dream) => &dream.message,
            _ => "",
        }
    }

    /// The id of the dream's commit, in hexadecimal.
    pub fn commit(&self) -> Option<&str> {
        match &self.entry.purpose {
            Purpose::Dream(dream) => dream.commit.as_deref(),
            _ => None,
        }
    }

    /// The branch that the dream was committed to; `None` for the one that was checked out.
    pub fn branch(&self) -> Option<&str> {
        self.entry.commit.as_ref()?.branch.as_deref()
    }

    /// The files that the dream changed.
    pub fn paths(&self) -> Vec<RepoPath> {
        let files = self.entry.files.iter().filter(|file| file.undo.is_some()).map(|file| &file.path);
        let all = files.chain(self.entry.log.iter().map(|rewrite| &rewrite.path));
        all.map(|path| RepoPath::from(path.as_str())).collect()
    }

    /// Preview of undoing the dream.
    ///
    /// # Errors
    /// See [`UndoError`].
    pub fn preview(&self, view: &View) -> Result<Vec<UndoneFile>, UndoError> {
        let steps = self.steps(view)?;
        let rebuilder = self.log_rebuilder(view, &steps)?;
        let rebuilt = rebuilder.map(|rebuilder| rebuilder.run(&mut Discard)).transpose()?;
        self.undone_files(view, &steps, rebuilt.as_ref())
    }

    fn steps(&self, view: &View) -> Result<Vec<UndoStep>, UndoError> {
        let mut steps = Vec::new();
        for (at, file) in self.entry.files.iter().enumerate() {
            let path = RepoPath::from(file.path.as_str());
            let step = match &file.undo {
                Some(UndoInfo::Added(range)) => self.removal(view, &path, range)?,
                Some(UndoInfo::Replaced { before, digest, modified }) => {
                    let current = require_unchanged(view, &path, digest)?;
                    Some((current, UndoChange::Restore { bytes: self.stored(before)?, modified: *modified }))
                }
                None => None,
            };
            steps.extend(step.map(|(current, change)| UndoStep { at, path, current, change }));
        }
        Ok(steps)
    }

    fn removal(
        &self,
        view: &View,
        path: &RepoPath,
        range: &AddedRange,
    ) -> Result<Option<(String, UndoChange)>, UndoError> {
        let text = range.text.as_ref().map(|name| self.stored(name)).transpose()?;
        let at = on_disk(view, path)?;
        match find(&at, range, text.as_deref()).map_err(ApplyError::io(path, "cannot be read"))? {
            FoundRange::At { range, file_digest } => {
                let length = fs::metadata(&at).map_err(ApplyError::io(path, "cannot be read"))?.len();
                let is_all = range.created && length == range.length;
                Ok(Some((file_digest, UndoChange::Remove { range, is_all })))
            }
            // The file is missing, as before the dream. If it had rows, rebuilding the log reports that.
            FoundRange::FileMissing if range.created => Ok(None),
            FoundRange::FileMissing => Err(UndoError::Missing { path: path.clone() }),
            FoundRange::Changed => Err(UndoError::Changed { path: path.clone() }),
        }
    }

    fn stored(&self, name: &str) -> Result<Vec<u8>, ApplyError> {
        let store = self.folder.join("undo");
        undo_store::get(&self.folder, name)
            .map_err(ApplyError::io(store.display(), "the record of the last dream is not readable"))
    }

    fn log_rebuilder<'a>(&'a self, view: &'a View, steps: &[UndoStep]) -> Result<Option<LogRebuilder<'a>>, UndoError> {
        let Some(rewrite) = &self.entry.log else { return Ok(None) };
        let mut moved: BTreeMap<usize, MovedRows<'a>> = BTreeMap::new();
        for (at, file) in self.entry.files.iter().enumerate() {
            let is_append = matches!(file.method, ReplaceMethod::Append { .. });
            let Some(UndoInfo::Added(range)) = file.undo.as_ref().filter(|_| is_append) else { continue };
            // Only rows that moved have no text in the undo store.
            if range.text.is_some() {
                continue;
            }
            let path = RepoPath::from(file.path.as_str());
            if !steps.iter().any(|step| step.at == at) {
                return Err(UndoError::Missing { path });
            }
            moved.insert(at, MovedRows { path, range });
        }
        Ok(Some(LogRebuilder { folder: &self.folder, view, rewrite, moved }))
    }

    fn undone_files(
        &self,
        view: &View,
        steps: &[UndoStep],
        rebuilt: Option<&RebuiltLog>,
    ) -> Result<Vec<UndoneFile>, UndoError> {
        let mut files = Vec::new();
        if let (Some(rewrite), Some(rebuilt)) = (&self.entry.log, rebuilt) {
            let path = RepoPath::from(rewrite.path.as_str());
            let rows = Some(rebuilt.rows.values().sum());
            files.push(UndoneFile { path, action: UndoAction::Returned, rows, contents: None });
        }
        for step in steps {
            let rows = rebuilt.and_then(|rebuilt| rebuilt.rows.get(&step.at)).copied();
            let action = match &step.change {
                UndoChange::Remove { is_all: true, .. } => UndoAction::Removed,
                UndoChange::Remove { .. } => UndoAction::Cut,
                UndoChange::Restore { .. } => UndoAction::Restored,
            };
            let contents = if rows.is_some() { None } else { Some(contents(view, step)?) };
            files.push(UndoneFile { path: step.path.clone(), action, rows, contents });
        }
        Ok(files)
    }
}

fn require_unchanged(view: &View, path: &RepoPath, digest: &str) -> Result<String, UndoError> {
    let current = content_digest(&on_disk(view, path)?).map_err(ApplyError::io(path, "cannot be read"))?;
    match current {
        Some(current) if current == digest => Ok(current),
        Some(_) => Err(UndoError::Changed { path: path.clone() }),
        None => Err(UndoError::Missing { path: path.clone() }),
    }
}

/// A file's content before and after the undo.
fn contents(view: &View, step: &UndoStep) -> Result<(Vec<u8>, Option<Vec<u8>>), ApplyError> {
    let before = crate::fs::read(on_disk(view, &step.path)?).map_err(ApplyError::io(&step.path, "cannot be read"))?;
    let after = match &step.change {
        UndoChange::Restore { bytes, .. } => Some(bytes.clone()),
        UndoChange::Remove { is_all: true, .. } => None,
        UndoChange::Remove { range, .. } => {
            let start = usize::try_from(range.offset).unwrap_or(usize::MAX).min(before.len());
            let end = usize::try_from(range.offset + range.length).unwrap_or(usize::MAX).min(before.len());
            Some([&before[..start], &before[end..]].concat())
        }
    };
    Ok((before, after))
}

impl<'s> LogTransaction<'s> {
    /// Prepares undoing a dream: writes the drafts, and then the journal entry.
    ///
    /// # Errors
    /// See [`UndoError`]; then no draft remains.
    pub fn prepare_undo(
        session: &'s Session,
        view: &'s View,
        record: &DreamRecord,
        commit: Option<PendingCommit>,
    ) -> Result<(Self, Vec<UndoneFile>), UndoError> {
        let steps = record.steps(view)?;
        let earlier = record.entry.earlier.clone();
        let mut entry = LogEntry { commit, purpose: Purpose::Undo, earlier, ..LogEntry::default() };
        let mut drafts = Vec::new();
        let mut rebuilt = None;
        if let (Some(rebuilder), Some(rewrite)) = (record.log_rebuilder(view, &steps)?, &record.entry.log) {
            let mut draft = Draft::create(view, &RepoPath::from(rewrite.path.as_str()))?;
            let log = rebuilder.run(&mut draft)?;
            let draft = draft.finish()?;
            entry.log = Some(reverse_rewrite(rewrite, &log, draft.name));
            drafts.push(draft.file);
            rebuilt = Some(log);
        }
        for step in &steps {
            let (file, draft) = undo_draft(view, step)?;
            entry.files.push(file);
            drafts.push(draft);
        }
        let files = record.undone_files(view, &steps, rebuilt.as_ref())?;
        Ok((Self::begin(session, view, entry, drafts)?, files))
    }
}

fn reverse_rewrite(rewrite: &LogRewrite, rebuilt: &RebuiltLog, draft: String) -> LogRewrite {
    LogRewrite {
        path: rewrite.path.clone(),
        draft,
        size: rebuilt.current.size,
        digest: rebuilt.current.digest.to_hex().to_string(),
        length: rewrite.size,
        moves: None,
        lacks_final_newline: rebuilt.lacks_final_newline,
    }
}

fn undo_draft(view: &View, step: &UndoStep) -> Result<(FileReplacement, TempPath), ApplyError> {
    let mut draft = Draft::create(view, &step.path)?;
    let method = match &step.change {
        UndoChange::Restore { bytes, modified } => {
            draft.write(bytes)?;
            draft.set_modified(*modified)?;
            ReplaceMethod::Replace
        }
        UndoChange::Remove { range, .. } => {
            copy_without(view, step, range, &mut draft)?;
            ReplaceMethod::Remove(range.clone())
        }
    };
    let FinishedDraft { name: draft, file, .. } = draft.finish()?;
    let path = step.path.to_display();
    Ok((FileReplacement { path, draft, was: Some(step.current.clone()), method, undo: None }, file))
}

/// Copies a file without the added range.
fn copy_without(view: &View, step: &UndoStep, range: &AddedRange, to: &mut impl ByteSink) -> Result<(), ApplyError> {
    let unreadable = |e: io::Error| ApplyError::io(&step.path, "cannot be read")(e);
    let open = |at: u64| -> Result<HashingReader<File>, ApplyError> {
        let mut file = crate::fs::open(on_disk(view, &step.path)?).map_err(unreadable)?;
        file.seek(SeekFrom::Start(at)).map_err(unreadable)?;
        Ok(HashingReader::new(&step.path, file))
    };
    open(0)?.copy(range.offset, to)?;
    open(range.offset + range.length)?.copy(u64::MAX, to).map(|_| ())
}
