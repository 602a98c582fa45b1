//! Repositories for tests that inspect the file system, and interrupted runs of the binary.

pub mod killing;
pub mod repo;
pub mod same;
pub mod small;
