//! What a transfer is about to do, for the run that finds it unfinished; and, once a dream is done, what it did, for the
//! one that takes it back.

use crate::apply::temporary::atomic_file;
use crate::fs as writes;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The whole of it. From the moment it stands on disk the transfer will happen.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Journal {
    /// Files that get a new content, in order.
    pub files: Vec<Change>,
    /// The log. It comes last where rows leave it, and first where they come back: until then every row is where it was.
    pub log: Option<Swap>,
    /// What is to be committed then.
    pub commit: Option<Note>,
    /// What it is for.
    #[serde(default)]
    pub aim: Aim,
}

/// What a transfer is for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Aim {
    /// Nothing that is taken back.
    #[default]
    Plain,
    /// A dream: its record stays until it is taken back, or another one follows.
    Dream(Story),
    /// Taking a dream back.
    Back,
    /// None any more: the log had become another one.
    Abandoned,
}

/// What is told of a dream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Story {
    /// What it said of itself.
    pub message: String,
    /// The commit that was made, in hexadecimal.
    pub commit: Option<String>,
}

/// A file that gets a new content, which lies beside it under a temporary name until it is in place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Change {
    /// The file, relative to the top of the work tree.
    pub path: String,
    /// The temporary name. That it is gone says that the file is in place.
    pub made: String,
    /// BLAKE3 of what stood there, in hexadecimal; `None` for nothing.
    pub was: Option<String>,
    /// What to do where something else stands there by now.
    pub how: How,
    /// What it takes to take it back; `None` where that is not wanted, or where nothing was changed after all.
    #[serde(default)]
    pub trace: Option<Trace>,
}

/// How a file changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum How {
    /// It keeps its first `base` bytes and gets more behind them.
    Append {
        /// Bytes of the new content that were there before.
        base: u64,
    },
    /// It gets another content.
    Replace,
    /// It loses what was added to it, and goes where nothing else is in it and it was made for that.
    Cut(Added),
}

/// What a change left behind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Trace {
    /// Bytes that were not there before.
    Added(Added),
    /// Another content.
    Replaced {
        /// The name of the former content among the kept ones.
        before: String,
        /// BLAKE3 of the new one.
        digest: String,
        /// When the former one was written, in seconds and nanoseconds since 1970.
        modified: Option<(u64, u32)>,
    },
}

/// A part of a file that a transfer has added.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Added {
    /// Where it begins.
    pub offset: u64,
    /// Its bytes.
    pub length: u64,
    /// Their BLAKE3.
    pub digest: String,
    /// How many of them stand before the first line that came from the log, and before what stands above that line.
    pub lead: u64,
    /// Whether the file was not there before.
    pub created: bool,
    /// The name of the part among what is kept, where it is text that people edit around.
    pub text: Option<String>,
}

/// The log with other rows than before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Swap {
    /// The log, relative to the top of the work tree.
    pub path: String,
    /// The new log's temporary name. That it is gone says that it is in place.
    pub made: String,
    /// Bytes of the old log that were read.
    pub size: u64,
    /// Their BLAKE3, in hexadecimal.
    pub digest: String,
    /// Bytes of the new log; those behind were carried over from the old.
    pub length: u64,
    /// The name among what is kept of the list of what went where.
    #[serde(default)]
    pub moves: Option<String>,
    /// Whether a row that is carried over needs a line break before it: the new log ends in the middle of a line, and the
    /// old one did not.
    #[serde(default)]
    pub unended: bool,
}

/// A commit that is due.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Its message.
    pub message: String,
    /// Literal paths, relative to the top of the work tree.
    pub paths: Vec<String>,
    /// The branch that it goes onto; `None` for the one that is checked out.
    #[serde(default)]
    pub branch: Option<String>,
}

fn path(folder: &Path) -> PathBuf {
    folder.join("transfer.json")
}

/// Where the journal of the last dream stays.
pub(super) fn record(folder: &Path) -> PathBuf {
    folder.join("undo.json")
}

impl Journal {
    /// `None` where there is none. One that cannot be read was not written by this program, or by another version of it.
    pub fn load(folder: &Path) -> io::Result<Option<Self>> {
        read(&path(folder))
    }

    /// That of the last dream.
    pub fn load_record(folder: &Path) -> io::Result<Option<Self>> {
        read(&record(folder))
    }

    pub fn save(&self, folder: &Path) -> io::Result<()> {
        atomic_file(folder, &path(folder), &serde_json::to_vec(self)?)
    }

    pub fn remove(folder: &Path) -> io::Result<()> {
        gone(writes::remove_file(&path(folder)))
    }

    /// In one step it is no journal any more, and the record of what was done.
    pub fn becomes_record(folder: &Path) -> io::Result<()> {
        writes::rename(&path(folder), &record(folder))
    }

    pub fn remove_record(folder: &Path) -> io::Result<()> {
        gone(writes::remove_file(&record(folder)))
    }

    /// The names of what is kept for it.
    pub fn kept(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter().filter_map(|change| match &change.trace {
            Some(Trace::Added(added)) => added.text.as_deref(),
            Some(Trace::Replaced { before, .. }) => Some(before.as_str()),
            None => None,
        });
        files.chain(self.log.iter().filter_map(|swap| swap.moves.as_deref()))
    }
}

fn read(path: &Path) -> io::Result<Option<Journal>> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(io::Error::other),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_older_version_has_left_is_read() {
        let text = r#"{"files":[{"path":"a","made":".t","was":null,"how":{"Append":{"base":3}}},
            {"path":"b","made":".u","was":"00","how":"Replace"}],
            "log":{"path":"l","made":".v","size":9,"digest":"00","length":5},
            "commit":{"message":"m","paths":["a"]}}"#;
        let journal: Journal = serde_json::from_str(text).unwrap();
        assert_eq!(journal.aim, Aim::Plain);
        assert_eq!(journal.commit.as_ref().and_then(|note| note.branch.as_deref()), None);
        assert_eq!(journal.files[0].how, How::Append { base: 3 });
        assert_eq!((journal.kept().count(), journal.files.len()), (0, 2));
    }
}
