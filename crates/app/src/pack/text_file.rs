//! Files of a plugin that are written from a text.

use canonry_agents::managed_part::text_id;
use canonry_exchange::pack::plan::PackFile;
use canonry_model::canon::{FileMode, FileState};
use canonry_model::edit::EditContent;
use gix::hash::Kind;

/// A regular file with this text.
pub(super) fn text_file(text: String, hash: Kind) -> PackFile {
    let state = FileState { id: text_id(&text, hash), mode: FileMode::File };
    PackFile { content: EditContent::Bytes(text.into_bytes()), state }
}
