//! Files of a plugin that are written from a text.

use crate::canon::{FileMode, FileState};
use crate::edit::EditContent;
use crate::pack::plan::PackFile;
use crate::toolfiles::managed_part::text_id;
use gix::hash::Kind;

/// A regular file with this text.
pub(super) fn text_file(text: String, hash: Kind) -> PackFile {
    let state = FileState { id: text_id(&text, hash), mode: FileMode::File };
    PackFile { content: EditContent::Bytes(text.into_bytes()), state }
}
