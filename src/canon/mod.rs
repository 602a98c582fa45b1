//! Floor 1: the typed model of a canon. Everything in it knows where it stands.

pub mod attempt;
pub mod blob;
pub mod capped;
pub mod context_chain;
pub mod context_file;
pub mod context_kind;
mod duplicates;
pub mod entry;
pub mod episode;
pub mod imports;
pub mod inventory;
pub mod io_diagnosis;
pub mod layout;
pub mod log;
pub mod memory_file;
pub mod page;
pub mod permissions;
pub mod place;
mod plain;
pub mod plan;
pub mod report;
pub mod schema;
pub mod schema_file;
pub mod skill;
pub mod skill_text;
pub mod suppression;
pub mod templates;
pub mod timestamp;
pub mod tool_schema;
pub mod tree;
mod violation;
pub mod workflow;

pub use blob::Blob;
pub use entry::{FileMode, FileState, TreeEntry};
pub use layout::Layout;
