//! What reading a path gave.

use super::io_diagnosis::IoDiagnosis;

/// The bytes at a path, or why there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Blob {
    /// The content, links followed inside the repository.
    Bytes(Vec<u8>),
    /// There is nothing to read, and why.
    Missing(BlobError),
}

/// Why a path has no content to judge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    /// No such path.
    #[error("it does not exist")]
    Absent,
    /// The path is a folder or something else that is no file.
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
    /// A link that leaves the repository; it is never followed.
    #[error("it is a link to `{target}`, outside the repository")]
    Outside {
        /// The link's text.
        target: String,
    },
    /// More bytes than a document of its kind can have.
    #[error("it has {size} bytes; more than {limit} are not read")]
    TooLarge {
        /// Bytes there are.
        size: u64,
        /// Bytes that are read at most.
        limit: u64,
    },
    /// The file system or the object database refused.
    #[error("it cannot be read: {reason}")]
    Refused {
        /// What the system said.
        reason: IoDiagnosis,
    },
}
