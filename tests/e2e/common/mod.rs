//! Repositories for tests that look at the output of the binary, and a corpus of real skills.

pub mod corpus;
pub mod repo;
