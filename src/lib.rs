//! canonry: one canon for every coding agent.
//!
//! [`app`] is the interface: one function per job, from a typed request to a typed outcome. The other modules form layers
//! below and above it; a module imports only from lower layers, which `tests/layers` checks.

pub mod app;
mod apply;
mod canon;
#[doc(hidden)]
pub mod cli;
mod config;
mod edit;
#[cfg(test)]
#[path = "../tests/support/episodes.rs"]
mod episodes;
mod exec;
mod finding;
mod fs;
mod git;
mod import;
mod install;
mod memory;
mod mirror;
mod pack;
mod plan;
mod protocol;
mod registry;
mod remote_skills;
mod render;
mod rules;
mod scaffold;
mod syntax;
#[cfg(test)]
#[allow(clippy::print_stderr)]
mod tests;
mod toolfiles;
mod view;
mod workflow;
