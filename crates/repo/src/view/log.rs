//! Reads episodic logs.

use canonry_memory::{ParsedLog, Ruleset};
use std::io::{self, Read};
use std::path::Path;

/// The content of a log.
#[derive(Debug, Default)]
pub struct LogRead {
    /// The parsed log.
    pub log: ParsedLog,
    /// The bytes that were read.
    pub mark: LogPrefix,
}

impl LogRead {
    /// Parses the content of a log.
    pub fn parse(bytes: Vec<u8>, ruleset: Ruleset) -> Self {
        let mark = LogPrefix { size: bytes.len() as u64, digest: blake3::hash(&bytes) };
        Self { log: ParsedLog::parse(bytes, ruleset), mark }
    }
}

/// Identifies the first bytes of a log. Rows that are appended later do not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPrefix {
    /// The number of bytes.
    pub size: u64,
    /// Their BLAKE3 hash.
    pub digest: blake3::Hash,
}

impl Default for LogPrefix {
    fn default() -> Self {
        Self { size: 0, digest: blake3::hash(b"") }
    }
}

impl LogPrefix {
    /// Reads the first `size` bytes of a file. The prefix of a shorter file has its size.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(file: &mut impl Read, size: u64) -> io::Result<Self> {
        let mut hasher = blake3::Hasher::new();
        let size = io::copy(&mut file.take(size), &mut hasher)?;
        Ok(Self { size, digest: hasher.finalize() })
    }
}

/// Reads a log up to its current end; `None` if it does not exist.
///
/// # Errors
/// It cannot be read, or is not a file.
pub fn read_log(path: &Path, ruleset: Ruleset) -> io::Result<Option<LogRead>> {
    let file = match crate::fs::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    let length = file.metadata()?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(length).map_err(io::Error::other)?);
    file.take(length).read_to_end(&mut bytes)?;
    Ok(Some(LogRead::parse(bytes, ruleset)))
}
