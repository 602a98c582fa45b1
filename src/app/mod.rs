//! Layer 6: one folder per job. A job takes a [`Workspace`] and a typed request and returns a typed outcome; it never
//! parses arguments, prints, or chooses an exit status.

pub mod canon_location;
pub mod canons;
pub mod check;
pub mod configuration;
pub mod consolidation;
pub mod context;
pub mod diffs;
pub mod dream;
pub mod environment;
pub mod error;
pub mod explain;
pub mod generated_file;
pub mod hook;
pub mod import;
pub mod init;
pub mod install;
pub mod log;
pub mod manual;
pub mod memory;
pub mod memory_files;
pub mod plain_repository;
pub mod progress;
pub mod protocol;
pub mod recall;
pub mod repositories;
pub mod skill_catalog;
pub mod skills;
pub mod sync;
pub mod tour;
mod user_canon;
pub mod workspace;

pub use crate::view::{Basis, MemorySource};
pub use environment::{Clock, Environment, RepositoryScope};
pub use error::{Error, ErrorKind};
pub use progress::{Progress, Quiet};
pub use workspace::Workspace;
