//! What several test files share.

pub mod corpus;
mod facts;
pub mod grouping;
pub mod memory;
pub mod repo;
