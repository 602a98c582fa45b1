//! The repositories of the end-to-end tests.

#[path = "../e2e/support/repo.rs"]
pub mod repo;
#[path = "../e2e/support/scratch.rs"]
pub mod scratch;
