//! Plans and workflows: graphs, states, decisions and prompts.

pub mod plan;
pub mod prompt;
mod repeated_failures;
pub mod workflow;
