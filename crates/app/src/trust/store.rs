//! The files that the user trusts, each with a digest of its content, in the user's state folder.

use crate::{Error, ErrorKind};
use canonry_repo::apply::state_file;
use canonry_repo::git::worktrees::common_dir;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// Largest list, in bytes.
const MAX_BYTES: u64 = 4 << 20;
/// Most files and entries in the list.
const MAX_FILES: usize = 4096;

/// A file whose content the user trusts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedFile {
    /// The git directory of the repository, without links; work trees of a repository share it.
    pub repository: String,
    /// The path relative to the top of the repository.
    pub path: String,
    /// The BLAKE3 digest of the content; of the entry, if only one is trusted.
    pub digest: String,
    /// The entry that makes tools execute commands, if only one is trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// When it was trusted, RFC 3339.
    pub time: String,
}

/// The list of trusted files.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct TrustStore {
    pub files: Vec<TrustedFile>,
}

impl TrustStore {
    /// Reads the list. Without a readable list, nothing is trusted.
    ///
    /// # Errors
    /// The list exists and cannot be read.
    pub fn load(state: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = state.map(file) else { return Ok(Self::default()) };
        let unreadable = |reason: String| {
            Error::new(ErrorKind::Unreadable, format!("{}: {reason}", path.display()))
                .help("remove the file, and run `canonry trust` again in each repository that you trust")
        };
        match state_file::read(&path, MAX_BYTES).map_err(|e| unreadable(e.to_string()))? {
            Some(bytes) => serde_json::from_slice(&bytes).map_err(|e| unreadable(e.to_string())),
            None => Ok(Self::default()),
        }
    }

    /// Whether the user trusts this content of a file.
    pub fn trusts(&self, repository: &str, path: &str, digest: &str) -> bool {
        self.files.iter().any(|file| file.repository == repository && file.path == path && file.digest == digest)
    }

    /// Adds files with their entries; all earlier ones of the same paths are replaced.
    pub fn add(&mut self, files: Vec<TrustedFile>) {
        let is_replaced =
            |old: &TrustedFile| files.iter().any(|new| new.repository == old.repository && new.path == old.path);
        self.files.retain(|old| !is_replaced(old));
        self.files.extend(files);
    }

    /// Adds entries of files that are not in the list. The oldest files leave a list that is full.
    pub fn extend(&mut self, entries: impl Iterator<Item = TrustedFile>) {
        for entry in entries {
            if !self.trusts(&entry.repository, &entry.path, &entry.digest) {
                self.files.push(entry);
            }
        }
        let surplus = self.files.len().saturating_sub(MAX_FILES);
        self.files.drain(..surplus);
    }

    /// Writes the list.
    ///
    /// # Errors
    /// There is no state folder, or it cannot be written.
    pub fn save(&self, state: Option<&Path>) -> Result<(), Error> {
        let failed = |message: String| Error::new(ErrorKind::Internal, message);
        let path =
            state.map(file).ok_or_else(|| failed("your home directory is unknown".to_owned()).help("set HOME"))?;
        let text = serde_json::to_string_pretty(self).map_err(|e| failed(e.to_string()))?;
        state_file::replace(&path, format!("{text}\n").as_bytes())
            .map_err(|e| failed(format!("{}: {e}", path.display())))
    }
}

/// The digest that identifies a content.
pub(crate) fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The name of a repository in lists of the user: its git directory without links. Work trees share it.
pub(crate) fn repository_identity(git_dir: &Path) -> String {
    // With another name, nothing is trusted.
    let shared = common_dir(git_dir);
    fs::canonicalize(&shared).unwrap_or(shared).to_string_lossy().into_owned()
}

fn file(state: &Path) -> PathBuf {
    state.join("canonry/trust.json")
}
