//! Access to git through gix. The git binary is started only to talk to remotes: to exchange claims, to push
//! results and branches for pull requests, and to fetch skills.

pub mod attempt;
pub mod claims;
pub mod commit;
pub mod config;
pub mod diff;
pub mod history;
pub mod integrate;
pub mod last_changes;
mod lock_record;
pub mod open;
pub mod remote;
pub mod source_cache;
pub mod sparse_index;
mod ssh;
pub mod tree_merge;
pub mod upstream;
pub mod user;
pub mod worktrees;
