//! Repositories for tests that inspect the file system, and interrupted runs of the binary.

pub mod failpoints;
pub mod repo;
pub mod same;
pub mod small;
