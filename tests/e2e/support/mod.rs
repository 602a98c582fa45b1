//! Repositories for tests that inspect the file system, and interrupted runs of the binary.

pub mod corpus;
#[path = "../../support/episodes.rs"]
pub mod episodes;
pub mod failpoints;
#[path = "../../support/generated.rs"]
pub mod generated;
pub mod html;
pub mod repo;
pub mod same;
pub mod scratch;
#[path = "../../support/seed_oracle.rs"]
pub mod seed_oracle;
pub mod small;
pub mod unprivileged;
pub mod workflow;
