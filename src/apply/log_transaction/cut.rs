//! Finding what a transfer has added to a file, so that it can go.

use super::finish::content;
use super::journal::Added;
use crate::view::log::Mark;
use gix::bstr::ByteSlice as _;
use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom};
use std::path::Path;

/// Where something stands that was added.
pub(super) enum Find {
    /// There, in a file with this BLAKE3.
    At {
        /// With its place by now.
        added: Added,
        /// Of the whole file.
        was: String,
    },
    /// There is no such file any more.
    Gone,
    /// Not as it was, or more than once.
    Changed,
}

/// Looks where it was put, and a text also wherever people have moved it to by editing around it.
pub(super) fn find(path: &Path, added: &Added, text: Option<&[u8]>) -> io::Result<Find> {
    let Some(was) = content(path)? else { return Ok(Find::Gone) };
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(added.offset))?;
    let mark = Mark::of(&mut file, added.length)?;
    if mark.size == added.length && mark.digest.to_hex().as_str() == added.digest {
        return Ok(Find::At { added: added.clone(), was });
    }
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(Find::Changed) };
    let bytes = fs::read(path)?;
    let mut places = bytes.find_iter(text);
    Ok(match (places.next(), places.next()) {
        (Some(at), None) => Find::At { added: Added { offset: at as u64, ..added.clone() }, was },
        _ => Find::Changed,
    })
}
