//! A Markdown file of the memory.

use super::{Blob, skill::DocumentError};
use crate::syntax::{RepoPath, Source};
use std::sync::Arc;

/// A Markdown file in one of the memory's layers, such as `semantic/LESSONS.md`.
#[derive(Debug)]
pub struct MemoryFile {
    /// Where it lies.
    pub path: RepoPath,
    /// Its text.
    pub document: Result<Arc<Source>, DocumentError>,
}

impl MemoryFile {
    /// Reads a file of the memory.
    pub fn parse(path: RepoPath, blob: Blob) -> Self {
        let document = match blob {
            Blob::Missing(missing) => Err(DocumentError::Missing(missing)),
            Blob::Bytes(bytes) => Source::from_bytes(path.clone(), bytes).map(Arc::new).map_err(DocumentError::NotUtf8),
        };
        Self { path, document }
    }
}
