//! Commands that take a plan or a workflow: which one is meant, checks, and their states with the next commands.

pub mod check;
pub mod report;
pub(crate) mod run_status;
pub mod status;
pub mod target;
