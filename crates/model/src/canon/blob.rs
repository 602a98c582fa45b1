//! The result of reading a path.

use super::io_diagnosis::IoDiagnosis;
use canonry_text::source::NotUtf8;
use canonry_text::{RepoPath, Source};
use std::sync::Arc;

/// The bytes at a path, or why there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blob {
    /// The content. Links inside the repository are followed.
    Bytes(Vec<u8>),
    /// There is no content.
    Missing(BlobError),
}

impl Blob {
    /// The content, if there is one.
    pub fn into_bytes(self) -> Option<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Missing(_) => None,
        }
    }

    /// The content, if there is one and it is UTF-8.
    pub fn into_text(self) -> Option<String> {
        String::from_utf8(self.into_bytes()?).ok()
    }

    /// The text of the file at `path`.
    ///
    /// # Errors
    /// There is no content, or it is not UTF-8.
    pub fn into_source(self, path: &RepoPath) -> Result<Arc<Source>, DocumentError> {
        match self {
            Self::Missing(error) => Err(DocumentError::Missing(error)),
            Self::Bytes(bytes) => Source::from_bytes(path.clone(), bytes).map(Arc::new).map_err(DocumentError::NotUtf8),
        }
    }
}

/// Why a path has no content. Displayed as a sentence about the path ("it does not exist").
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    /// No such path.
    #[error("it does not exist")]
    Absent,
    /// The path is a folder, a pipe, a device or the like.
    #[error("it is not a file")]
    NotAFile,
    /// A link whose target does not exist.
    #[error("it is a link to `{target}`, which does not exist")]
    Dangling {
        /// The link's text.
        target: String,
    },
    /// A link that leads back to itself.
    #[error("it is a link that leads back to itself (`{target}`)")]
    Loop {
        /// The link's text.
        target: String,
    },
    /// A link that leaves the repository. canonry never follows one.
    #[error("it is a link to `{target}`, outside the repository")]
    Outside {
        /// The link's text.
        target: String,
    },
    /// The file is larger than the limit for its kind.
    #[error("it has {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// Bytes in the file.
        size: u64,
        /// The maximum that canonry reads.
        limit: u64,
    },
    /// The file system or the object database failed.
    #[error("it cannot be read: {reason}")]
    Refused {
        /// The error of the system.
        reason: IoDiagnosis,
    },
}

/// Why a file has no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentError {
    /// There are no bytes.
    Missing(BlobError),
    /// The bytes are not UTF-8.
    NotUtf8(NotUtf8),
}
