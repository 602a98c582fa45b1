//! What several test files share.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod corpus;
mod facts;
pub mod memory;
pub mod repo;
