//! What a transfer is about to do, for the run that finds it unfinished.

use crate::apply::temporary::atomic_file;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The whole of it. From the moment it stands on disk the transfer will happen.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Journal {
    /// Files that get a new content, in order.
    pub files: Vec<Change>,
    /// The log, which comes last: until then every row is in it.
    pub log: Option<Swap>,
    /// What is to be committed then.
    pub commit: Option<Note>,
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
}

/// How a file changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum How {
    /// It keeps its first `base` bytes and gets more behind them.
    Append {
        /// Bytes of the new content that were there before.
        base: u64,
    },
    /// It gets another content.
    Replace,
}

/// The log without the rows that left it.
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
}

/// A commit that is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Its message.
    pub message: String,
    /// Literal paths, relative to the top of the work tree.
    pub paths: Vec<String>,
}

fn path(folder: &Path) -> PathBuf {
    folder.join("transfer.json")
}

impl Journal {
    /// `None` where there is none. One that cannot be read was not written by this program, or by another version of it.
    pub fn load(folder: &Path) -> io::Result<Option<Self>> {
        match fs::read(path(folder)) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(io::Error::other),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }

    pub fn save(&self, folder: &Path) -> io::Result<()> {
        atomic_file(folder, &path(folder), &serde_json::to_vec(self)?)
    }

    pub fn remove(folder: &Path) -> io::Result<()> {
        match fs::remove_file(path(folder)) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        }
    }
}
