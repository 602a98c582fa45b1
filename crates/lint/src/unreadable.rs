//! Messages for files that have no readable text.

use crate::{Finding, Rule};
use canonry_model::canon::blob::BlobError;
use canonry_model::canon::blob::DocumentError;
use canonry_model::finding::Location;
use canonry_text::RepoPath;
use canonry_text::source::NotUtf8;

/// The finding for a file without readable text. `kind` names the kind of file, such as `plan`.
pub(super) fn finding(rule: &'static Rule, path: &RepoPath, kind: &str, why: &DocumentError) -> Finding {
    match why {
        DocumentError::Missing(why) => missing(rule, path, kind, why),
        DocumentError::NotUtf8(bad) => not_utf8(rule, path, bad),
    }
}

/// The finding for a file without content.
pub(super) fn missing(rule: &'static Rule, path: &RepoPath, kind: &str, why: &BlobError) -> Finding {
    rule.at(Location::file(path), format!("cannot read the {kind}: {why}")).help(help(why))
}

/// Remedy for a file without content.
pub(super) fn help(missing: &BlobError) -> &'static str {
    match missing {
        BlobError::Absent => "restore the file, or remove it from git too",
        BlobError::NotAFile => "replace it with a regular file",
        BlobError::Dangling { target } if target.starts_with('/') => {
            "write the target relative to the link, or replace the link with the file itself: other clones do not have this path"
        }
        BlobError::Dangling { .. } => "create the target of the link, or replace the link with the file itself",
        BlobError::Loop { .. } => "replace the link with the file itself",
        BlobError::Outside { .. } => {
            "replace the link with the file itself: a clone does not contain files outside the repository"
        }
        BlobError::TooLarge { .. } => "shorten it, and move rarely needed content into separate files",
        BlobError::Refused { reason } => {
            reason.advice.unwrap_or("check the permissions of the file, and that the clone is complete")
        }
    }
}

/// Remedy for a link to a folder that cannot be read.
pub(super) fn help_for_folder(missing: &BlobError) -> &'static str {
    match missing {
        BlobError::Outside { .. } => {
            "replace the link with the folder itself: a clone does not contain files outside the repository"
        }
        _ => "create the target of the link, replace the link with the folder itself, or remove the link",
    }
}

/// The finding for a file that is not UTF-8, at its first invalid byte.
pub(super) fn not_utf8(rule: &'static Rule, path: &RepoPath, bad: &NotUtf8) -> Finding {
    let location = Location::byte(path, bad.offset, bad.line);
    let is_utf16 = is_utf16(bad);
    let message = match bad.byte {
        0xa1..=0xff if !is_utf16 => format!("{bad}; in Latin-1 it is `{}`", char::from(bad.byte)),
        _ => bad.to_string(),
    };
    let from = if is_utf16 { "UTF-16" } else { "ISO-8859-1" };
    rule.at(location, message)
        .help(format!("save the file as UTF-8; `iconv -f {from} -t UTF-8 {}` prints it as UTF-8", path.to_display()))
}

/// UTF-16 starts with one of two byte order marks. Neither of their bytes ever occurs in UTF-8.
fn is_utf16(bad: &NotUtf8) -> bool {
    bad.offset == 0 && matches!(bad.byte, 0xfe | 0xff)
}
