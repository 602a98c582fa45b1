//! Plans and workflows: graphs, states, decisions and prompts.

pub mod plan;
pub mod workflow;
