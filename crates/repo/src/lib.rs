//! Git through gix, views, atomic writes, journals, commits and child processes.

pub mod apply;
pub mod exec;
pub mod fs;
pub mod git;
pub mod view;
