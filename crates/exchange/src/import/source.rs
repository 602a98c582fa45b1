//! Files that an import reads: those of the sources and of the canon.

use canonry_model::canon::blob::BlobError;
use canonry_model::canon::{Blob, FileMode, FileSource, FileState, Layout, PathKind};
use canonry_model::config::Target;
use canonry_text::RepoPath;
use gix_hash::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// The repository as an import sees it.
pub struct ImportSource<'a> {
    /// The layout of the canon.
    pub layout: &'a Layout,
    /// The kind of object ids.
    pub hash: Kind,
    /// The files at the paths of all sources; links are not followed.
    pub files: &'a BTreeMap<RepoPath, FileState>,
    /// Files of tools elsewhere in the repository. Only their paths are known.
    pub other_tool_files: &'a [RepoPath],
    /// The directories of skills in mirrors.
    pub mirrored_skills: &'a BTreeSet<RepoPath>,
    /// The files that sync wrote, or wrote parts of.
    pub synced: &'a BTreeSet<RepoPath>,
    /// The files of the canon.
    pub canon: &'a BTreeMap<RepoPath, FileState>,
    /// The content of the files.
    pub contents: &'a dyn FileSource,
    /// The texts of files that contain parts written by canonry, without those parts.
    pub shared_texts: &'a BTreeMap<RepoPath, String>,
    /// Largest file to read, in bytes.
    pub max_file_size: u64,
    /// The targets whose mirrors git ignores.
    pub ignored_mirrors: &'a BTreeSet<Target>,
    /// Whether the repository has a config.
    pub is_configured: bool,
}

/// A file cannot be read as text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TextError {
    /// It cannot be read.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// It is not UTF-8.
    #[error("line {line}: it is not UTF-8")]
    NotUtf8 {
        /// The line of the first invalid byte.
        line: usize,
    },
}

impl ImportSource<'_> {
    /// Whether a directory contains any file.
    pub(super) fn has_below(&self, directory: &str) -> bool {
        self.below(directory).next().is_some()
    }

    /// Whether a file exists.
    pub(super) fn has(&self, path: &str) -> bool {
        self.files.contains_key(&RepoPath::from(path))
    }

    /// The files below a directory, by path.
    pub(super) fn below(&self, directory: &str) -> impl Iterator<Item = (RepoPath, FileMode)> + use<'_> {
        let directory = RepoPath::from(directory);
        let inside = self.files.iter().filter(move |(path, _)| **path != directory && path.is_within(&directory));
        inside.map(|(path, state)| (path.clone(), state.mode))
    }

    /// The bytes of a file.
    pub(super) fn read(&self, path: &RepoPath) -> Result<Vec<u8>, BlobError> {
        if let Some(text) = self.shared_texts.get(path) {
            return Ok(text.clone().into_bytes());
        }
        match self.contents.read(path, self.max_file_size) {
            Blob::Bytes(bytes) => Ok(bytes),
            Blob::Missing(error) => Err(error),
        }
    }

    /// The text of a file.
    pub(super) fn text(&self, path: &RepoPath) -> Result<String, TextError> {
        String::from_utf8(self.read(path)?).map_err(|e| {
            let valid = &e.as_bytes()[..e.utf8_error().valid_up_to()];
            TextError::NotUtf8 { line: valid.iter().filter(|byte| **byte == b'\n').count() + 1 }
        })
    }

    /// The target of a link; `None` if it is outside the repository.
    pub(super) fn link_target(&self, path: &RepoPath) -> Option<RepoPath> {
        path.resolve_beside(&self.contents.link_text(path)?)
    }

    /// The path that prevents a file from being created, if any.
    pub(super) fn blocker(&self, path: &RepoPath) -> Option<RepoPath> {
        let directory = path.parent().unwrap_or_default();
        let mut ancestor = RepoPath::default();
        for part in directory.components() {
            ancestor = ancestor.join(part);
            if self.contents.link_text(&ancestor).is_some() {
                return Some(directory.clone());
            }
            match self.contents.kind(&ancestor) {
                PathKind::File => return Some(ancestor),
                PathKind::Nothing => return None,
                PathKind::Folder => {}
            }
        }
        (self.contents.kind(path) == PathKind::Folder).then(|| path.clone())
    }

    /// The git state of a new text file.
    pub(super) fn state_of(&self, text: &str) -> Option<FileState> {
        // Hashing fails only on a detected SHA-1 collision.
        let id = gix_object::compute_hash(self.hash, gix_object::Kind::Blob, text.as_bytes()).ok()?;
        Some(FileState { id, mode: FileMode::File })
    }
}
