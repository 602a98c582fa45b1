//! Commands that take a plan or a workflow: which one is meant, checks, and the open ones with their next commands.

pub mod check;
pub mod open;
pub mod target;
