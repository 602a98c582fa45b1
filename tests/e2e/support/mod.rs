//! Repositories for tests that inspect the file system, and interrupted runs of the binary.

pub mod corpus;
pub use canonry_testing::episodes;
pub mod failpoints;
pub use canonry_testing::generated;
pub mod html;
pub use canonry_testing::random;
pub mod repo;
pub mod same;
pub mod scratch;
pub use canonry_testing::seed_oracle;
pub mod small;
pub mod unprivileged;
pub mod walk;
pub mod workflow;
