//! A log's lines, read once more.

use crate::memory::Extent;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// A line of the log, without its end.
///
/// # Errors
/// The log cannot be read any more.
pub fn line(log: &File, extent: Extent) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(extent.length).map_err(io::Error::other)?];
    log.read_exact_at(&mut bytes, extent.offset)?;
    if bytes.ends_with(b"\n") {
        bytes.pop();
    }
    Ok(bytes)
}
