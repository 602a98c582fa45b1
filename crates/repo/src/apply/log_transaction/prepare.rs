//! Writes the drafts of a transaction, and then its journal entry.

use super::draft::{Draft, FinishedDraft, HashingReader};
use super::rebuild::MovedRow;
use super::{FileChange, LogChanges, LogSplit, LogTransaction, PrepareError, TransactionOrigin, on_disk, undo_store};
use crate::apply::journal::{
    AddedRange, DreamSummary, FileReplacement, LogEntry, LogRewrite, Purpose, ReplaceMethod, UndoInfo, load_record,
    record_path,
};
use crate::apply::{ApplyError, Session};
use crate::view::View;
use canonry_text::RepoPath;
use std::io::{self, Read as _};
use std::time::UNIX_EPOCH;
use tempfile::TempPath;

/// Decisions below the last one that can still be undone.
const MAX_EARLIER: usize = 20;

impl<'s> LogTransaction<'s> {
    /// Prepares changes that cannot be undone. No file is replaced yet.
    ///
    /// # Errors
    /// See [`PrepareError`]; then no draft remains.
    pub fn prepare(session: &'s Session, view: &'s View, changes: LogChanges<'_>) -> Result<Self, PrepareError> {
        Preparation { session, view, purpose: Purpose::Edit, earlier: Vec::new() }.run(changes)
    }

    /// Prepares a dream, which can be undone afterwards. `message` is its commit message.
    ///
    /// # Errors
    /// See [`PrepareError`]; then no draft remains, but contents may remain in the undo store.
    pub fn prepare_dream(
        session: &'s Session,
        view: &'s View,
        changes: LogChanges<'_>,
        message: String,
    ) -> Result<Self, PrepareError> {
        let purpose = Purpose::Dream(DreamSummary { message, commit: None });
        Preparation { session, view, purpose, earlier: Vec::new() }.run(changes)
    }

    /// Prepares a person's decision, which can be undone like a dream. What could be undone before can be undone after it.
    ///
    /// # Errors
    /// See [`LogTransaction::prepare_dream`].
    pub fn prepare_decision(
        session: &'s Session,
        view: &'s View,
        changes: LogChanges<'_>,
        message: String,
    ) -> Result<Self, PrepareError> {
        let folder = session.folder();
        let record = load_record(folder)
            .map_err(ApplyError::io(record_path(folder).display(), "the record of the last dream is not readable"))?;
        let mut earlier = record.map(LogEntry::into_stack).unwrap_or_default();
        earlier.truncate(MAX_EARLIER);
        let purpose = Purpose::Dream(DreamSummary { message, commit: None });
        Preparation { session, view, purpose, earlier }.run(changes)
    }

    /// Writes the journal entry, which owns the drafts from then on.
    pub(super) fn begin(
        session: &'s Session,
        view: &'s View,
        entry: LogEntry,
        drafts: Vec<TempPath>,
    ) -> Result<Self, ApplyError> {
        let folder = session.folder();
        let saved = session.save_log(Some(&entry));
        saved.map_err(ApplyError::io(folder.display(), "the journal cannot be written"))?;
        drafts.into_iter().for_each(|draft| drop(draft.keep()));
        Ok(Self { session, view, entry, origin: TransactionOrigin::ThisRun })
    }
}

struct Preparation<'s> {
    session: &'s Session,
    view: &'s View,
    purpose: Purpose,
    earlier: Vec<LogEntry>,
}

impl<'s> Preparation<'s> {
    fn run(self, changes: LogChanges<'_>) -> Result<LogTransaction<'s>, PrepareError> {
        let mut entry = LogEntry { commit: changes.commit, ..LogEntry::default() };
        let mut drafts: Vec<TempPath> = Vec::new();
        for change in &changes.files {
            let (file, draft) = self.file_change(change)?;
            entry.files.push(file);
            drafts.push(draft);
        }
        if let Some(split) = &changes.log {
            let split = self.split_log(split, entry.files.len())?;
            entry.files.extend(split.files);
            entry.log = Some(split.rewrite);
            drafts.extend(split.drafts);
        }
        entry.purpose = self.purpose;
        entry.earlier = self.earlier;
        Ok(LogTransaction::begin(self.session, self.view, entry, drafts)?)
    }

    /// Stores a content that undoing a dream needs; returns its name.
    fn store(&self, bytes: &[u8]) -> Result<Option<String>, ApplyError> {
        if self.purpose == Purpose::Edit {
            return Ok(None);
        }
        let folder = self.session.folder();
        let stored = undo_store::put(folder, bytes).map(Some);
        stored.map_err(ApplyError::io(folder.display(), "the undo store cannot be written"))
    }

    fn file_change(&self, change: &FileChange<'_>) -> Result<(FileReplacement, TempPath), ApplyError> {
        let path = change.path();
        let before = match change {
            FileChange::Append { before, .. } | FileChange::Replace { before, .. } => *before,
            FileChange::Insert { before, .. } => Some(*before),
        };
        let mut draft = Draft::create(self.view, path)?;
        let length = before.map_or(0, |bytes| bytes.len());
        let offset = match change {
            FileChange::Insert { at, .. } => (*at).min(length),
            _ => length,
        } as u64;
        let method = match change {
            FileChange::Append { text, .. } => {
                draft.write(before.unwrap_or_default())?;
                draft.mark();
                draft.write(text.as_bytes())?;
                ReplaceMethod::Append { base: offset }
            }
            FileChange::Replace { now, .. } => {
                draft.mark();
                draft.write(now)?;
                ReplaceMethod::Replace
            }
            FileChange::Insert { before, at, text, .. } => {
                let (head, tail) = before.split_at((*at).min(before.len()));
                draft.write(head)?;
                draft.mark();
                draft.write(text.as_bytes())?;
                draft.unmark();
                draft.write(tail)?;
                ReplaceMethod::Replace
            }
        };
        let FinishedDraft { name, file, marked } = draft.finish()?;
        let length = marked.size;
        let digest = marked.digest.to_hex().to_string();
        let undo = match change {
            FileChange::Replace { before: Some(bytes), .. } => {
                let modified = modified(self.view, path)?;
                self.store(bytes)?.map(|before| UndoInfo::Replaced { before, digest, modified })
            }
            FileChange::Append { text: now, .. } => Some(self.added(now, offset, length, digest, before.is_none())?),
            FileChange::Insert { text: now, .. } => Some(self.added(now, offset, length, digest, false)?),
            FileChange::Replace { before: None, .. } => {
                Some(UndoInfo::Added(AddedRange { length, digest, created: true, ..AddedRange::default() }))
            }
        };
        let was = before.map(|bytes| blake3::hash(bytes).to_hex().to_string());
        Ok((FileReplacement { path: path.to_display(), draft: name, was, method, undo }, file))
    }

    /// Data for undoing an addition.
    fn added(
        &self,
        text: &str,
        offset: u64,
        length: u64,
        digest: String,
        created: bool,
    ) -> Result<UndoInfo, ApplyError> {
        let text = self.store(text.as_bytes())?;
        Ok(UndoInfo::Added(AddedRange { offset, length, digest, lead: 0, created, text }))
    }

    /// Copies each line of the log to the new log or to the file that it moves to, in one pass. `first` is the index of the
    /// first such file in the journal entry.
    fn split_log(&self, split: &LogSplit<'_>, first: usize) -> Result<SplitDrafts, PrepareError> {
        let mut targets = split
            .to
            .iter()
            .map(|(path, header)| MoveTarget::create(self.view, path, header))
            .collect::<Result<Vec<_>, _>>()?;
        let mut log = Draft::create(self.view, &split.path)?;
        let unreadable = || ApplyError::io(&split.path, "cannot be read");
        let file = crate::fs::open(on_disk(self.view, &split.path)?).map_err(unreadable())?;
        let mut source = HashingReader::new(&split.path, file.take(split.mark.size));
        let mut moves = String::new();
        let mut length = 0;
        let mut at = 0;
        for line in &split.moved {
            let before = line.extent.offset - at;
            length += source.copy(before, &mut log)?;
            at = line.extent.end();
            let Some(target) = targets.get_mut(line.to) else { continue };
            target.draft.write(line.heading.as_bytes())?;
            source.copy(line.extent.length, &mut target.draft)?;
            let above = line.heading.len() as u64;
            let length = line.extent.length;
            MovedRow { stayed: before, to: first + line.to, above, length }.write(&mut moves);
            // The last line of a log may lack its line break.
            if source.last_byte != Some(b'\n') {
                target.draft.write(b"\n")?;
            }
        }
        length += source.copy(split.mark.size - at, &mut log)?;
        if source.mark() != split.mark {
            return Err(PrepareError::Changed);
        }
        let draft = log.finish()?;
        let rewrite = LogRewrite {
            path: split.path.to_display(),
            draft: draft.name,
            size: split.mark.size,
            digest: split.mark.digest.to_hex().to_string(),
            length,
            moves: self.store(moves.as_bytes())?,
            lacks_final_newline: false,
        };
        let mut files = Vec::new();
        let mut drafts = vec![draft.file];
        for target in targets {
            let (file, draft) = target.finish()?;
            files.push(file);
            drafts.push(draft);
        }
        Ok(SplitDrafts { files, rewrite, drafts })
    }
}

/// The modification time, which an undo restores; `None` if there is no file, or if the file system has no such times.
fn modified(view: &View, path: &RepoPath) -> Result<Option<(u64, u32)>, ApplyError> {
    let time = std::fs::metadata(on_disk(view, path)?).and_then(|meta| meta.modified()).ok();
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Ok(since.map(|since| (since.as_secs(), since.subsec_nanos())))
}

/// The drafts of a log that is split.
struct SplitDrafts {
    files: Vec<FileReplacement>,
    rewrite: LogRewrite,
    drafts: Vec<TempPath>,
}

/// A file that lines move to. Its draft starts with its current content.
struct MoveTarget {
    draft: Draft,
    was: Option<String>,
    base: u64,
    lead: u64,
}

impl MoveTarget {
    fn create(view: &View, path: &RepoPath, header: &str) -> Result<Self, ApplyError> {
        let mut draft = Draft::create(view, path)?;
        let before = match crate::fs::open(on_disk(view, path)?) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                draft.mark();
                draft.write(header.as_bytes())?;
                return Ok(Self { draft, was: None, base: 0, lead: header.len() as u64 });
            }
            before => before.map_err(ApplyError::io(path, "cannot be read"))?,
        };
        let mut source = HashingReader::new(path, before);
        let base = source.copy(u64::MAX, &mut draft)?;
        draft.mark();
        let lead = u64::from(source.last_byte.is_some_and(|last| last != b'\n'));
        if lead > 0 {
            draft.write(b"\n")?;
        }
        Ok(Self { draft, was: Some(source.mark().digest.to_hex().to_string()), base, lead })
    }

    fn finish(self) -> Result<(FileReplacement, TempPath), ApplyError> {
        let path = self.draft.path.to_display();
        let base = self.base;
        let FinishedDraft { name, file, marked } = self.draft.finish()?;
        let range = AddedRange {
            offset: base,
            length: marked.size,
            digest: marked.digest.to_hex().to_string(),
            lead: self.lead,
            created: self.was.is_none(),
            text: None,
        };
        let method = ReplaceMethod::Append { base };
        let undo = Some(UndoInfo::Added(range));
        Ok((FileReplacement { path, draft: name, was: self.was, method, undo }, file))
    }
}
