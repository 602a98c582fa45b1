//! The counts of a dream, and the subject of its commit.

use serde::{Serialize, Serializer};
use std::fmt;

/// The counts of a dream. `Display` is the subject of its commit, which `memory undo` and the record of nights read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DreamCounts {
    /// Lessons that were written.
    pub lessons: usize,
    /// Episodes that were archived.
    pub archived: usize,
    /// Episodes that stay in the log.
    pub kept: usize,
    /// Candidates that were added to the review queue.
    pub candidates: usize,
}

impl fmt::Display for DreamCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lessons, archived, kept, candidates } = self;
        write!(f, "dream cycle: promoted {lessons}, decayed {archived}, kept {kept}")?;
        if *candidates > 0 { write!(f, ", staged {candidates}") } else { Ok(()) }
    }
}

impl Serialize for DreamCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
