//! Everything that touches git, through gix alone: no git binary is ever started.

pub mod commit;
pub mod history;
pub mod hooks;
pub mod open;
pub mod settings;
pub mod user;
