//! The canon as types, its config, the table of tools, findings, fixes and edits.

pub mod canon;
pub mod config;
pub mod edit;
pub mod finding;
pub mod tools;
