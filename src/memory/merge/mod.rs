//! Three-way merges of the memory's files, for branches that both logged and both dreamed.

mod lessons;
mod rows;
mod same_lesson;
mod units;
mod walk;

pub use lessons::lessons;
pub use rows::{quarantine, rows};
use std::fmt::Write as _;

/// Three versions of a file.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    /// What both began with; empty where there was no file.
    pub base: &'a [u8],
    /// The one that is merged into.
    pub ours: &'a [u8],
    /// The one that is merged.
    pub theirs: &'a [u8],
}

impl<'a> Sides<'a> {
    /// Where at most one side changed anything.
    fn trivial(&self) -> Option<&'a [u8]> {
        match () {
            () if self.ours == self.theirs || self.theirs == self.base => Some(self.ours),
            () if self.ours == self.base => Some(self.theirs),
            () => None,
        }
    }
}

/// What a merge comes to.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Merged {
    /// The file, with git's markers around what a person has to decide.
    pub bytes: Vec<u8>,
    /// How often a person has to.
    pub conflicts: usize,
}

impl Merged {
    fn clean(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), conflicts: 0 }
    }

    /// A piece, on a line of its own.
    fn line(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        if !text.is_empty() && !text.ends_with(b"\n") {
            self.bytes.push(b'\n');
        }
    }

    fn clash(&mut self, ours: &[u8], theirs: &[u8]) {
        self.line(b"<<<<<<< ours");
        self.line(ours);
        self.line(b"=======");
        self.line(theirs);
        self.line(b">>>>>>> theirs");
        self.conflicts += 1;
    }
}

/// The kinds of files that are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The log or a snapshot: a row a line.
    Rows,
    /// Lines that could not be read, each below one that says why.
    Quarantine,
    /// `LESSONS.md`
    Lessons,
}

impl Kind {
    /// By a file's name.
    pub fn of(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension {
            "jsonl" => Some(Self::Rows),
            "txt" => Some(Self::Quarantine),
            "md" => Some(Self::Lessons),
            _ => None,
        }
    }

    /// Merges files of the kind.
    pub fn merge(self, sides: &Sides<'_>) -> Merged {
        match self {
            Self::Rows => rows(sides),
            Self::Quarantine => quarantine(sides),
            Self::Lessons => lessons(sides),
        }
    }
}

/// Merged in words, for git's output.
pub fn in_words(merged: &Merged, path: &str) -> String {
    let mut text = String::new();
    if merged.conflicts > 0 {
        let places = if merged.conflicts == 1 { "1 place".to_owned() } else { format!("{} places", merged.conflicts) };
        let _ =
            writeln!(text, "{path}: both sides changed the same thing in {places}; choose, and take the markers out");
    }
    text
}

#[cfg(test)]
mod tests;
