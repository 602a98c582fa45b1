//! What helps where a file gave no text; several families ask.

use crate::canon::blob::BlobError;
use crate::canon::skill::DocumentError;
use crate::finding::{Location, RawFinding};
use crate::syntax::RepoPath;
use crate::syntax::source::NotUtf8;

/// What is said of a file, such as a `plan`, that gives no text.
pub(super) fn draft(path: &RepoPath, what: &str, why: &DocumentError) -> RawFinding {
    match why {
        DocumentError::Missing(why) => {
            RawFinding::new(Location::file(path), format!("there is no {what} to read: {why}")).help(help(why))
        }
        DocumentError::NotUtf8(bad) => {
            let at = Location::byte(path, bad.offset, bad.line);
            RawFinding::new(at, not_utf8_message(bad)).help(not_utf8_help(bad))
        }
    }
}

/// What to do about a file without bytes.
pub(super) fn help(missing: &BlobError) -> &'static str {
    match missing {
        BlobError::Absent => "restore the file, or remove it from git as well",
        BlobError::NotAFile => "put a plain file in its place",
        BlobError::Dangling { .. } => "create what the link leads to, or put the file itself in the link's place",
        BlobError::Loop { .. } => "put the file itself in the link's place",
        BlobError::Outside { .. } => {
            "put the file itself in the link's place: a clone does not hold what lies outside it"
        }
        BlobError::TooLarge { .. } => "shorten it, and move what is rarely needed into files beside it",
        BlobError::Refused { reason } => {
            reason.advice.unwrap_or("check the file's permissions and that the clone is whole")
        }
    }
}

/// What to do about a link in a folder's place that leads to nothing.
pub(super) fn help_for_folder(missing: &BlobError) -> &'static str {
    match missing {
        BlobError::Outside { .. } => {
            "put the folder itself in the link's place: a clone does not hold what lies outside it"
        }
        _ => "create what the link leads to, put the folder itself in its place, or remove the link",
    }
}

/// The bad byte, and what it is where the text is Latin-1.
pub(super) fn not_utf8_message(bad: &NotUtf8) -> String {
    match bad.byte {
        0xa1..=0xff if !is_utf16(bad) => format!("{bad}; in Latin-1 it is `{}`", char::from(bad.byte)),
        _ => bad.to_string(),
    }
}

/// How to convert the file.
pub(super) fn not_utf8_help(bad: &NotUtf8) -> String {
    let from = if is_utf16(bad) { "UTF-16" } else { "ISO-8859-1" };
    format!("save the file as UTF-8, for instance with `iconv -f {from} -t UTF-8`")
}

/// UTF-16 starts with one of two byte order marks, and neither byte is ever part of UTF-8.
fn is_utf16(bad: &NotUtf8) -> bool {
    bad.offset == 0 && matches!(bad.byte, 0xfe | 0xff)
}
