//! The typed model of a canon. Every node knows its position in its file.

pub mod agent_tools;
pub mod benchmark;
pub mod blob;
pub mod capped;
pub mod context_file;
pub mod episode;
mod episode_check;
pub mod file_kind;
pub mod file_source;
pub mod imports;
pub mod inventory;
pub mod io_diagnosis;
pub mod layout;
pub mod log;
pub mod memory_file;
pub mod owners;
pub mod page;
pub mod permissions;
pub mod plan;
pub mod report;
pub mod rule_scope;
pub mod schema;
pub mod skill;
pub mod subagent;
pub mod suppression;
pub mod task;
pub mod timestamp;
pub mod tool_schema;
pub mod tree;
mod violation;
pub mod workflow;

pub use blob::Blob;
pub use file_source::{FileSource, IgnoreMode, ListedFile, Listing, PathKind, SourceError};
pub use layout::Layout;
pub use tree::{FileMode, FileState, TreeEntry};
