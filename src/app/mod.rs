//! Layer 6: one folder per job. A job takes a [`Workspace`] and a typed request and returns a typed outcome; it never
//! parses arguments, prints, or chooses an exit status.

pub mod bench;
mod canon_location;
mod canons;
pub mod check;
pub mod commit;
mod configuration;
mod consolidation;
pub mod context;
mod diffs;
pub mod dream;
mod environment;
mod error;
pub mod explain;
mod file_edits;
pub mod generated_file;
pub mod hook;
pub mod import;
pub mod init;
pub mod install;
pub mod log;
pub mod manual;
pub mod memory;
mod memory_files;
mod plain_repository;
pub mod plan;
mod progress;
pub mod protocol;
pub mod recall;
pub mod repositories;
mod skill_catalog;
pub mod skills;
pub mod sync;
pub mod tour;
mod user_canon;
mod workspace;

pub use crate::canon::FileMode;
pub use crate::canon::timestamp::Timestamp;
pub use crate::config::Target;
pub use crate::syntax::RepoPath;
pub use crate::view::{Basis, MemorySource};
pub use diffs::{FileContent, FileDiff};
pub use environment::{Clock, Environment, RepositoryScope};
pub use error::{Error, ErrorKind};
pub use progress::{Progress, Quiet};
pub use workspace::Workspace;
