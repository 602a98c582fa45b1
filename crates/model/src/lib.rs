//! The canon as types, its config, findings, fixes and edits.

pub mod canon;
pub mod config;
pub mod edit;
pub mod finding;
