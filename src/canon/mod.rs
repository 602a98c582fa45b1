//! Floor 1: the typed model of a canon. Everything in it knows where it stands.

pub mod allowance;
pub mod attempt;
pub mod blob;
pub mod context_chain;
pub mod context_file;
pub mod context_kind;
pub mod entry;
pub mod episode;
pub mod few;
pub mod imports;
pub mod inventory;
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
pub mod stamp;
pub mod templates;
pub mod tool_schema;
pub mod tree;
pub mod trouble;
mod twice;
mod violation;
pub mod workflow;

pub use blob::Blob;
pub use entry::{Entry, Mode, State};
pub use layout::Layout;
