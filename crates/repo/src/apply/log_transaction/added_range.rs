//! Finds the range of bytes that a transaction added to a file.

use super::finish::content_digest;
use crate::apply::journal::AddedRange;
use crate::view::log::LogPrefix;
use gix::bstr::ByteSlice as _;
use std::io::{self, Seek as _, SeekFrom};
use std::path::Path;

/// The result of the search.
pub(super) enum FoundRange {
    /// The range exists.
    At {
        /// The range at its current offset.
        range: AddedRange,
        /// BLAKE3 of the whole file.
        file_digest: String,
    },
    /// The file does not exist.
    FileMissing,
    /// The bytes were changed, or occur more than once.
    Changed,
}

/// Searches at the original offset. Text is also found where a user's edits before it have moved it.
pub(super) fn find(path: &Path, range: &AddedRange, text: Option<&[u8]>) -> io::Result<FoundRange> {
    let Some(file_digest) = content_digest(path)? else { return Ok(FoundRange::FileMissing) };
    let mut file = crate::fs::open(path)?;
    file.seek(SeekFrom::Start(range.offset))?;
    let mark = LogPrefix::read(&mut file, range.length)?;
    if mark.size == range.length && mark.digest.to_hex().as_str() == range.digest {
        return Ok(FoundRange::At { range: range.clone(), file_digest });
    }
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(FoundRange::Changed) };
    let bytes = crate::fs::read(path)?;
    let mut offsets = bytes.find_iter(text);
    Ok(match (offsets.next(), offsets.next()) {
        (Some(offset), None) => {
            FoundRange::At { range: AddedRange { offset: offset as u64, ..range.clone() }, file_digest }
        }
        _ => FoundRange::Changed,
    })
}
