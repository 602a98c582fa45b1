//! Plans and workflows: graphs, states, decisions and prompts.

pub mod exec;
pub mod numbers;
pub mod plan;
pub mod prompt;
pub mod repeated_failures;
pub mod report;
pub mod workflow;
