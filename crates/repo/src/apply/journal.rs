//! The journal: what a run is about to do, for the run after it.
//!
//! It is the file `canonry/journal` in git's folder, with one entry per line. It exists only while a run is unfinished and
//! is only written by the process that holds the lock. There are two kinds of entries:
//!
//! - `file <id> <mode> <id> <mode> <path>`: a file of the work tree, with its git object id and mode before and after the
//!   change, `- -` if it does not exist. The new content can be computed again, so that the next run only needs to know
//!   which contents are canonry's own.
//! - `log <JSON>`: a [`LogEntry`], at most one. It moves rows of a log between files, which cannot be computed again. The
//!   new contents exist already, under temporary names, and the next run puts them in place.
//!
//! The entry of a finished dream moves to `canonry/undo.json`, as plain JSON, until the dream is undone or another one
//! follows.

use super::temporary::write_atomically;
use crate::fs as writes;
use canonry_model::canon::{FileMode, FileState};
use canonry_model::edit::Edit;
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::ByteSlice;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// The entries of the journal.
#[derive(Debug, Default)]
pub(super) struct Journal {
    /// Changes of files that an unfinished run may or may not have made.
    pub files: Vec<FileEntry>,
    /// The unfinished log transaction.
    pub log: LogSlot,
}

/// The journal's entry about a log transaction.
#[derive(Clone, Debug, Default)]
pub(super) enum LogSlot {
    /// There is none.
    #[default]
    Empty,
    /// An entry.
    Entry(Box<LogEntry>),
    /// An entry that this version cannot read. It is preserved.
    Unreadable {
        /// The line.
        line: Vec<u8>,
        error: String,
    },
}

/// One change that an unfinished run may or may not have made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileEntry {
    /// The file.
    pub path: RepoPath,
    /// Its state before the run.
    pub was: Option<FileState>,
    /// Its state after the run.
    pub now: Option<FileState>,
}

impl FileEntry {
    /// The entry for an edit.
    pub fn from_edit(edit: &Edit) -> Self {
        Self { path: edit.path().clone(), was: edit.was(), now: edit.now() }
    }
}

impl Journal {
    fn file(folder: &Path) -> PathBuf {
        folder.join("journal")
    }

    /// Reads the journal in canonry's own folder; empty if there is none.
    pub fn load(folder: &Path) -> io::Result<Self> {
        let text = crate::fs::read_if_exists(Self::file(folder))?;
        Ok(text.map(|text| Self::parse(&text)).unwrap_or_default())
    }

    /// Writes the journal, or removes it if it has no entries.
    pub fn save(&self, folder: &Path) -> io::Result<()> {
        let path = Self::file(folder);
        if self.files.is_empty() && matches!(self.log, LogSlot::Empty) {
            return remove_if_present(&path);
        }
        write_atomically(folder, &path, &self.to_text()?)
    }

    fn to_text(&self) -> io::Result<Vec<u8>> {
        let mut text = Vec::with_capacity(self.files.len() * 140);
        for entry in &self.files {
            text.extend_from_slice(b"file ");
            for state in [entry.was, entry.now] {
                let words = state.map_or("- - ".to_owned(), |s| format!("{} {} ", s.id, s.mode));
                text.extend_from_slice(words.as_bytes());
            }
            text.extend_from_slice(entry.path.as_bstr());
            text.push(b'\n');
        }
        match &self.log {
            LogSlot::Empty => {}
            LogSlot::Entry(entry) => {
                text.extend_from_slice(b"log ");
                serde_json::to_writer(&mut text, entry)?;
                text.push(b'\n');
            }
            LogSlot::Unreadable { line, .. } => {
                text.extend_from_slice(line);
                text.push(b'\n');
            }
        }
        Ok(text)
    }

    /// Skips damaged lines about files: such a file is then treated like one that the user wrote.
    fn parse(text: &[u8]) -> Self {
        let mut journal = Self::default();
        for line in text.lines() {
            if let Some(entry) = line.strip_prefix(b"file ") {
                journal.files.extend(file_entry(entry));
            } else if let Some(json) = line.strip_prefix(b"log ") {
                journal.log = match serde_json::from_slice(json) {
                    Ok(entry) => LogSlot::Entry(Box::new(entry)),
                    Err(e) => LogSlot::Unreadable { line: line.to_vec(), error: e.to_string() },
                };
            }
        }
        journal
    }
}

fn file_entry(line: &[u8]) -> Option<FileEntry> {
    let mut parts = line.splitn(5, |b| *b == b' ');
    let was = recorded_state(parts.next()?, parts.next()?).ok()?;
    let now = recorded_state(parts.next()?, parts.next()?).ok()?;
    let path = parts.next().filter(|path| !path.is_empty())?;
    Some(FileEntry { path: RepoPath::new(path), was, now })
}

/// An id or a mode in the journal is damaged.
struct DamagedState;

/// Parses a state; `None` for a file that does not exist.
fn recorded_state(id: &[u8], mode: &[u8]) -> Result<Option<FileState>, DamagedState> {
    if id == b"-" {
        return Ok(None);
    }
    let id = ObjectId::from_hex(id).map_err(|_| DamagedState)?;
    let mode = FileMode::from_octal(mode).ok_or(DamagedState)?;
    Ok(Some(FileState { id, mode }))
}

/// A log transaction. Once it is in the journal, it will happen.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct LogEntry {
    /// Files that get a new content, in order.
    pub files: Vec<FileReplacement>,
    /// The log that gains or loses rows.
    pub log: Option<LogRewrite>,
    /// The commit to make afterwards.
    pub commit: Option<PendingCommit>,
    /// Purpose of the transaction.
    #[serde(default)]
    pub purpose: Purpose,
    /// Transactions that can be undone after this one has been undone, the latest first. Their own lists are empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<LogEntry>,
}

/// Purpose of a log transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Purpose {
    /// An edit that cannot be undone.
    #[default]
    Edit,
    /// A dream. Its record stays until the dream is undone or another one follows.
    Dream(DreamSummary),
    /// Undoing a dream.
    Undo,
    /// Nothing any more: the log was replaced by another one, so the transaction was abandoned.
    Abandoned,
}

/// The summary of a dream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DreamSummary {
    /// The commit message.
    pub message: String,
    /// The commit, in hexadecimal, if one was made.
    pub commit: Option<String>,
}

/// A file that gets a new content. Until it is in place, the content is in a draft: a temporary file beside the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FileReplacement {
    /// The file, relative to the top of the work tree.
    pub path: String,
    /// The draft's name. If the draft does not exist, the content is in place.
    pub draft: String,
    /// BLAKE3 of the content before, in hexadecimal; `None` if the file did not exist.
    pub was: Option<String>,
    /// Treatment of a file that has changed since.
    pub method: ReplaceMethod,
    /// Data for an undo; `None` if the change cannot be undone or did not happen.
    #[serde(default)]
    pub undo: Option<UndoInfo>,
}

/// Method of changing a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ReplaceMethod {
    /// Bytes are appended.
    Append {
        /// Number of bytes of the draft that were in the file before.
        base: u64,
    },
    /// The whole content is replaced.
    Replace,
    /// Remove the range we added; delete the file if we created it and nothing else remains.
    Remove(AddedRange),
}

/// Data for undoing a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum UndoInfo {
    /// Bytes were added.
    Added(AddedRange),
    /// The content was replaced.
    Replaced {
        /// The old content's name in the undo store.
        before: String,
        /// BLAKE3 of the new content.
        digest: String,
        /// The old file's modification time, in seconds and nanoseconds since 1970.
        modified: Option<(u64, u32)>,
    },
}

/// A range of bytes that a transaction added to a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AddedRange {
    /// Offset of the first byte.
    pub offset: u64,
    /// Length in bytes.
    pub length: u64,
    /// BLAKE3 of the bytes.
    pub digest: String,
    /// Number of bytes before the first row that came from the log, and the heading of that row.
    pub lead: u64,
    /// Whether the file did not exist before.
    pub created: bool,
    /// The bytes' name in the undo store, if they are text around which users edit.
    pub text: Option<String>,
}

/// A log that gains or loses rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct LogRewrite {
    /// The log, relative to the top of the work tree.
    pub path: String,
    /// The draft's name. If the draft does not exist, the new log is in place.
    pub draft: String,
    /// Number of bytes of the old log that were read.
    pub size: u64,
    /// BLAKE3 of these bytes, in hexadecimal.
    pub digest: String,
    /// Length of the new log. Bytes behind it were carried over from the old log.
    pub length: u64,
    /// The name, in the undo store, of the list of moved rows.
    #[serde(default)]
    pub moves: Option<String>,
    /// Whether the new log ends within a line, so that a row that is carried over needs a line break before it.
    #[serde(default)]
    pub lacks_final_newline: bool,
}

/// A commit to make after a transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingCommit {
    /// The message.
    pub message: String,
    /// Literal paths, relative to the top of the work tree.
    pub paths: Vec<String>,
    /// The branch; `None` for the one that is checked out.
    #[serde(default)]
    pub branch: Option<String>,
}

impl LogEntry {
    /// The names that the entry uses in the undo store.
    pub fn stored_names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self).chain(&self.earlier).flat_map(Self::own_stored_names)
    }

    fn own_stored_names(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter().filter_map(|change| match &change.undo {
            Some(UndoInfo::Added(added)) => added.text.as_deref(),
            Some(UndoInfo::Replaced { before, .. }) => Some(before.as_str()),
            None => None,
        });
        files.chain(self.log.iter().filter_map(|rewrite| rewrite.moves.as_deref()))
    }

    /// This record and those before it, the latest first, as a list for [`LogEntry::earlier`].
    pub fn into_stack(mut self) -> Vec<Self> {
        let earlier = std::mem::take(&mut self.earlier);
        std::iter::once(self).chain(earlier).collect()
    }

    /// The record at the top of such a list; `None` if it is empty.
    pub fn from_stack(mut stack: Vec<Self>) -> Option<Self> {
        let earlier = if stack.is_empty() { Vec::new() } else { stack.split_off(1) };
        stack.pop().map(|top| Self { earlier, ..top })
    }
}

/// The path of the record of the last dream.
pub(super) fn record_path(folder: &Path) -> PathBuf {
    folder.join("undo.json")
}

/// The entry of the last dream; `None` if there is none.
pub(super) fn load_record(folder: &Path) -> io::Result<Option<LogEntry>> {
    let Some(bytes) = crate::fs::read_if_exists(record_path(folder))? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(io::Error::other)
}

/// Writes the record of the last dream.
pub(super) fn save_record(folder: &Path, entry: &LogEntry) -> io::Result<()> {
    write_atomically(folder, &record_path(folder), &serde_json::to_vec(entry)?)
}

/// Removes the record of the last dream.
pub(super) fn remove_record(folder: &Path) -> io::Result<()> {
    remove_if_present(&record_path(folder))
}

fn remove_if_present(path: &Path) -> io::Result<()> {
    match writes::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_entries() -> Vec<FileEntry> {
        let state =
            |byte: u8| Some(FileState { id: ObjectId::from_bytes_or_panic(&[byte; 20]), mode: FileMode::Executable });
        vec![
            FileEntry { path: RepoPath::from("a b"), was: None, now: state(1) },
            FileEntry { path: RepoPath::from("c"), was: state(2), now: None },
            FileEntry { path: RepoPath::from("d"), was: state(3), now: state(4) },
        ]
    }

    #[test]
    fn file_entries_round_trip() {
        let journal = Journal { files: file_entries(), log: LogSlot::Empty };
        let mut text = journal.to_text().unwrap();
        assert_eq!(Journal::parse(&text).files, journal.files);
        text.extend_from_slice(b"file torn 1");
        assert_eq!(Journal::parse(&text).files, journal.files);
    }

    #[test]
    fn both_kinds_of_entries_share_the_journal() {
        let dir = tempfile::tempdir().unwrap();
        let commit = Some(PendingCommit { message: "m".to_owned(), ..PendingCommit::default() });
        let log = LogSlot::Entry(Box::new(LogEntry { commit: commit.clone(), ..LogEntry::default() }));
        Journal { files: file_entries(), log }.save(dir.path()).unwrap();
        let mut journal = Journal::load(dir.path()).unwrap();
        assert_eq!(journal.files, file_entries());
        assert!(matches!(&journal.log, LogSlot::Entry(entry) if entry.commit == commit));
        journal.files.clear();
        journal.save(dir.path()).unwrap();
        assert!(matches!(Journal::load(dir.path()).unwrap().log, LogSlot::Entry(_)));
        journal.log = LogSlot::Empty;
        journal.save(dir.path()).unwrap();
        assert!(!Journal::file(dir.path()).exists());
        assert!(Journal::load(dir.path()).unwrap().files.is_empty());
        // An entry that cannot be read is not an entry that does not exist.
        std::fs::create_dir(Journal::file(dir.path())).unwrap();
        assert!(Journal::load(dir.path()).is_err());
    }

    #[test]
    fn an_unreadable_log_entry_is_preserved() {
        let journal = Journal::parse(b"log {\"files\": 7}\n");
        assert!(matches!(journal.log, LogSlot::Unreadable { .. }));
        assert_eq!(journal.to_text().unwrap(), b"log {\"files\": 7}\n");
    }

    #[test]
    fn optional_fields_of_a_log_entry_may_be_missing() {
        let text = r#"{"files":[{"path":"a","draft":".t","was":null,"method":{"Append":{"base":3}}},
            {"path":"b","draft":".u","was":"00","method":"Replace"}],
            "log":{"path":"l","draft":".v","size":9,"digest":"00","length":5},
            "commit":{"message":"m","paths":["a"]}}"#;
        let entry: LogEntry = serde_json::from_str(text).unwrap();
        assert_eq!(entry.purpose, Purpose::Edit);
        assert_eq!(entry.commit.as_ref().and_then(|commit| commit.branch.as_deref()), None);
        assert_eq!(entry.files[0].method, ReplaceMethod::Append { base: 3 });
        assert_eq!((entry.stored_names().count(), entry.files.len()), (0, 2));
    }
}
