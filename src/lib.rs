//! canonry: one canon for every coding agent.
//!
//! The modules form layers: a module imports only from lower layers. `tests/layers` checks this.

pub mod app;
pub mod apply;
pub mod canon;
pub mod cli;
pub mod config;
pub mod edit;
#[cfg(test)]
#[path = "../tests/support/episodes.rs"]
mod episodes;
pub mod exec;
pub mod finding;
pub(crate) mod fs;
pub mod git;
pub mod import;
pub mod install;
pub mod memory;
pub mod mirror;
pub mod plan;
pub mod protocol;
pub mod registry;
pub mod render;
pub mod rules;
pub mod scaffold;
pub mod syntax;
#[cfg(test)]
#[allow(clippy::print_stderr)]
mod tests;
pub mod toolfiles;
pub mod view;
pub mod workflow;
