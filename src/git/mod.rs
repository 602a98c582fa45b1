//! Access to git through gix. canonry never starts the git binary.

pub mod commit;
pub mod config;
pub mod diff;
pub mod history;
mod index_guard;
pub mod integrate;
pub mod open;
pub mod user;
pub mod worktrees;
