//! Three-way merges of the memory files, for branches that both logged and both dreamed.

mod lesson_units;
mod lessons;
mod rows;
mod three_way;

use lessons::merge_lessons;
use rows::{merge_quarantine, merge_rows};

/// Three versions of a file.
#[derive(Clone, Copy, Debug)]
pub struct MergeInput<'a> {
    /// The common ancestor; empty if the file did not exist.
    pub base: &'a [u8],
    /// The version that is merged into.
    pub ours: &'a [u8],
    /// The version that is merged.
    pub theirs: &'a [u8],
}

impl<'a> MergeInput<'a> {
    /// The result if at most one side changed the file.
    fn trivial(&self) -> Option<&'a [u8]> {
        if self.ours == self.theirs || self.theirs == self.base {
            Some(self.ours)
        } else if self.ours == self.base {
            Some(self.theirs)
        } else {
            None
        }
    }
}

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct MergeOutput {
    /// The file, with git's conflict markers.
    pub bytes: Vec<u8>,
    /// The number of conflicts.
    pub conflicts: usize,
}

impl MergeOutput {
    fn without_conflicts(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), conflicts: 0 }
    }

    /// Adds text and ends its last line.
    fn push_line(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        if !text.is_empty() && !text.ends_with(b"\n") {
            self.bytes.push(b'\n');
        }
    }

    fn push_conflict(&mut self, ours: &[u8], theirs: &[u8]) {
        self.push_line(b"<<<<<<< ours");
        self.push_line(ours);
        self.push_line(b"=======");
        self.push_line(theirs);
        self.push_line(b">>>>>>> theirs");
        self.conflicts += 1;
    }
}

/// The kinds of files that can be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeFileKind {
    /// The log or a snapshot, one row per line.
    Rows,
    /// The quarantine.
    Quarantine,
    /// `LESSONS.md`
    Lessons,
}

impl MergeFileKind {
    /// The kind of a file by its extension.
    pub fn from_path(path: &str) -> Option<Self> {
        let (_, extension) = path.rsplit_once('.')?;
        match extension {
            "jsonl" => Some(Self::Rows),
            "txt" => Some(Self::Quarantine),
            "md" => Some(Self::Lessons),
            _ => None,
        }
    }

    /// Merges three versions of a file of this kind.
    pub fn merge(self, input: &MergeInput<'_>) -> MergeOutput {
        match self {
            Self::Rows => merge_rows(input),
            Self::Quarantine => merge_quarantine(input),
            Self::Lessons => merge_lessons(input),
        }
    }
}

#[cfg(test)]
mod tests;
