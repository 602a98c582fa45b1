//! Rebuilds the log that a dream split, from the current log and the files that its rows moved to.

use super::draft::{ByteSink, Discard, HashingReader};
use super::{UndoError, on_disk, undo_store};
use crate::apply::ApplyError;
use crate::apply::journal::{AddedRange, LogRewrite};
use crate::view::View;
use crate::view::log::LogPrefix;
use canonry_text::RepoPath;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// The rows that moved to one file.
pub(super) struct MovedRows<'a> {
    pub path: RepoPath,
    pub range: &'a AddedRange,
}

/// The result of rebuilding a log.
pub(super) struct RebuiltLog {
    /// The log that the dream left, which exists now.
    pub current: LogPrefix,
    /// Whether the rebuilt log ends within a line, and the current one does not.
    pub lacks_final_newline: bool,
    /// Number of rows that come back from each file, by its index.
    pub rows: BTreeMap<usize, usize>,
}

/// The inputs for rebuilding a log.
pub(super) struct LogRebuilder<'a> {
    pub folder: &'a Path,
    pub view: &'a View,
    pub rewrite: &'a LogRewrite,
    /// The moved rows, by the index of their file.
    pub moved: BTreeMap<usize, MovedRows<'a>>,
}

impl LogRebuilder<'_> {
    /// Writes the old log to `sink` and compares its hash with the recorded one.
    ///
    /// # Errors
    /// [`UndoError::Changed`] if the hash differs.
    pub fn run(&self, sink: &mut dyn ByteSink) -> Result<RebuiltLog, UndoError> {
        let path = RepoPath::from(self.rewrite.path.as_str());
        let mut log = HashingReader::new(&path, self.open(&path)?.take(self.rewrite.length));
        let mut sources = BTreeMap::new();
        for (at, rows) in &self.moved {
            sources.insert(*at, self.rows(rows)?);
        }
        let mut out = HashingSink { sink, length: 0, hasher: blake3::Hasher::new(), last_byte: None };
        let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
        for MovedRow { stayed, to: from, above, length } in self.moves()? {
            log.copy(stayed, &mut out)?;
            let Some(source) = sources.get_mut(&from) else { return Err(self.changed(&path)) };
            source.copy(above, &mut Discard)?;
            source.copy(length, &mut out)?;
            *rows.entry(from).or_default() += 1;
        }
        log.copy(u64::MAX, &mut out)?;
        let current = log.mark();
        let whole = out.hasher.finalize();
        if current.size != self.rewrite.length
            || out.length != self.rewrite.size
            || whole.to_hex().as_str() != self.rewrite.digest
        {
            return Err(self.changed(&path));
        }
        let ends = |last: Option<u8>| last.is_none_or(|last| last == b'\n');
        let lacks_final_newline = !ends(out.last_byte) && ends(log.last_byte);
        Ok(RebuiltLog { current, lacks_final_newline, rows })
    }

    fn changed(&self, path: &RepoPath) -> UndoError {
        UndoError::Changed { path: path.clone() }
    }

    fn open(&self, path: &RepoPath) -> Result<File, UndoError> {
        match crate::fs::open(on_disk(self.view, path)?) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Err(UndoError::Missing { path: path.clone() }),
            file => Ok(file.map_err(ApplyError::io(path, "cannot be read"))?),
        }
    }

    fn rows(&self, rows: &MovedRows<'_>) -> Result<HashingReader<File>, UndoError> {
        let mut file = self.open(&rows.path)?;
        let at = SeekFrom::Start(rows.range.offset + rows.range.lead);
        file.seek(at).map_err(ApplyError::io(&rows.path, "cannot be read"))?;
        Ok(HashingReader::new(&rows.path, file))
    }

    fn moves(&self) -> Result<Vec<MovedRow>, ApplyError> {
        let Some(name) = &self.rewrite.moves else { return Ok(Vec::new()) };
        let moves = undo_store::get(self.folder, name).and_then(|bytes| parse_moved_rows(&bytes));
        moves
            .map_err(ApplyError::io(self.folder.join("undo").display(), "the record of the last dream is not readable"))
    }
}

/// Counts and hashes the bytes that pass through.
struct HashingSink<'s> {
    sink: &'s mut dyn ByteSink,
    length: u64,
    hasher: blake3::Hasher,
    last_byte: Option<u8>,
}

impl ByteSink for HashingSink<'_> {
    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), ApplyError> {
        self.length += bytes.len() as u64;
        self.hasher.update(bytes);
        self.last_byte = bytes.last().copied().or(self.last_byte);
        self.sink.write_bytes(bytes)
    }
}

/// A row that moved from the log to another file. The undo store has one line of numbers for each, because there may be
/// hundreds of thousands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MovedRow {
    /// Bytes before the row that stayed in the log, since the row that moved before it.
    pub stayed: u64,
    /// The index of the file that it moved to, among the files of the transaction.
    pub to: usize,
    /// Length in bytes of the heading above the row in that file.
    pub above: u64,
    /// Length of the row in bytes.
    pub length: u64,
}

impl MovedRow {
    /// Writes the row's line.
    pub fn write(&self, text: &mut String) {
        let Self { stayed, to, above, length } = self;
        let _ = writeln!(text, "{stayed} {to} {above} {length}");
    }

    fn parse(line: &str) -> Option<Self> {
        let mut numbers = line.split(' ').map(|number| number.parse::<u64>().ok());
        let mut next = || numbers.next().flatten();
        let row = Self { stayed: next()?, to: usize::try_from(next()?).ok()?, above: next()?, length: next()? };
        numbers.next().is_none().then_some(row)
    }
}

fn parse_moved_rows(text: &[u8]) -> io::Result<Vec<MovedRow>> {
    let text = std::str::from_utf8(text).map_err(io::Error::other)?;
    let invalid = |line: &str| io::Error::other(format!("`{line}` is not a line of four numbers"));
    text.lines().map(|line| MovedRow::parse(line).ok_or_else(|| invalid(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moved_rows_round_trip() {
        let rows = [(0, 0, 0, 1), (u64::MAX, 7, 3, 12)];
        let rows = rows.map(|(stayed, to, above, length)| MovedRow { stayed, to, above, length });
        let mut text = String::new();
        rows.iter().for_each(|row| row.write(&mut text));
        assert_eq!(parse_moved_rows(text.as_bytes()).unwrap(), rows);
        assert_eq!(parse_moved_rows(b"").unwrap(), []);
        for bad in ["1 2 3\n", "1 2 3 4 5\n", "1 2 3 x\n", "\n", "-1 0 0 0\n"] {
            assert!(parse_moved_rows(bad.as_bytes()).is_err(), "{bad:?}");
        }
    }
}
