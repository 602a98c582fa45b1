//! canonry: one canon for every coding agent.
//!
//! The modules are floors: a module imports only from lower ones (`tests/floors.rs` proves it).

pub mod canon;
pub mod config;
pub mod finding;
pub mod plan;
pub mod rules;
pub mod syntax;
