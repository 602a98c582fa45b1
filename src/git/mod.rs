//! Access to git through gix. canonry never starts the git binary.

pub mod attempt;
pub mod commit;
pub mod config;
pub mod history;
pub mod open;
pub mod user;
