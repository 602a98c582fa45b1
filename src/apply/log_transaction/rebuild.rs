//! The log as it was before rows left it: from the one that is there, and from where they went.

use super::draft::{Nowhere, Sink, Source};
use super::error::BackError;
use super::journal::{Added, Swap};
use super::moves::{self, Move};
use super::{kept, on_disk};
use crate::apply::ApplyError;
use crate::syntax::RepoPath;
use crate::view::View;
use crate::view::log::Mark;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Where the rows of one file stand that went to it.
pub(super) struct Rows<'a> {
    pub path: RepoPath,
    pub added: &'a Added,
}

/// A log that is whole again.
pub(super) struct Rebuilt {
    /// What the dream left of it, which is there now.
    pub left: Mark,
    /// Whether the old log ends in the middle of a line, and what the dream left of it does not.
    pub unended: bool,
    /// How many rows come back from each file, by its position.
    pub rows: BTreeMap<usize, usize>,
}

/// What it takes to make the old log.
pub(super) struct Rebuild<'a> {
    pub folder: &'a Path,
    pub view: &'a View,
    pub swap: &'a Swap,
    /// By position.
    pub from: BTreeMap<usize, Rows<'a>>,
}

impl Rebuild<'_> {
    /// Gives the old log to `sink`, and compares it with the one that there was, byte for byte by its hash.
    ///
    /// # Errors
    /// [`BackError::Changed`] where it is not the same.
    pub fn run(&self, sink: &mut dyn Sink) -> Result<Rebuilt, BackError> {
        let path = RepoPath::from(self.swap.path.as_str());
        let mut log = Source::new(&path, self.open(&path)?.take(self.swap.length));
        let mut sources = BTreeMap::new();
        for (at, rows) in &self.from {
            sources.insert(*at, self.rows(rows)?);
        }
        let mut out = Whole { sink, length: 0, hasher: blake3::Hasher::new(), last: None };
        let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
        for Move { stayed, to: from, above, length } in self.moves()? {
            log.copy(stayed, &mut out)?;
            let Some(source) = sources.get_mut(&from) else { return Err(self.changed(&path)) };
            source.copy(above, &mut Nowhere)?;
            source.copy(length, &mut out)?;
            *rows.entry(from).or_default() += 1;
        }
        log.copy(u64::MAX, &mut out)?;
        let (left, whole) = (log.mark(), out.hasher.finalize());
        if left.size != self.swap.length || out.length != self.swap.size || whole.to_hex().as_str() != self.swap.digest
        {
            return Err(self.changed(&path));
        }
        let ends = |last: Option<u8>| last.is_none_or(|last| last == b'\n');
        Ok(Rebuilt { left, unended: !ends(out.last) && ends(log.last), rows })
    }

    fn changed(&self, path: &RepoPath) -> BackError {
        BackError::Changed { path: path.clone() }
    }

    fn open(&self, path: &RepoPath) -> Result<File, BackError> {
        match File::open(on_disk(self.view, path)?) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Err(BackError::Gone { path: path.clone() }),
            file => Ok(file.map_err(ApplyError::io(path, "cannot be read"))?),
        }
    }

    fn rows(&self, rows: &Rows<'_>) -> Result<Source<File>, BackError> {
        let mut file = self.open(&rows.path)?;
        let at = SeekFrom::Start(rows.added.offset + rows.added.lead);
        file.seek(at).map_err(ApplyError::io(&rows.path, "cannot be read"))?;
        Ok(Source::new(&rows.path, file))
    }

    fn moves(&self) -> Result<Vec<Move>, ApplyError> {
        let Some(name) = &self.swap.moves else { return Ok(Vec::new()) };
        let bytes = kept::kept(self.folder, name);
        let moves = bytes.and_then(|bytes| moves::parse(&bytes));
        moves.map_err(ApplyError::io(self.folder.join("undo").display(), "the record of the last dream cannot be read"))
    }
}

/// Counts and hashes what goes through.
struct Whole<'s> {
    sink: &'s mut dyn Sink,
    length: u64,
    hasher: blake3::Hasher,
    last: Option<u8>,
}

impl Sink for Whole<'_> {
    fn take(&mut self, bytes: &[u8]) -> Result<(), ApplyError> {
        self.length += bytes.len() as u64;
        self.hasher.update(bytes);
        self.last = bytes.last().copied().or(self.last);
        self.sink.take(bytes)
    }
}
