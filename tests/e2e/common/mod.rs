//! Repositories for tests of the binary's output, and a corpus of real skills.

pub mod corpus;
pub mod repo;
