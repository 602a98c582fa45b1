//! Everything that touches git, through gix alone: no git binary is ever started.

pub mod commit;
pub mod config;
pub mod history;
pub mod open;
pub mod user;
