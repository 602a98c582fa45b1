//! The commit function compared with the real git, in hermetic repositories.

mod edit;
mod environment;
mod onto;
mod places;
mod progress;
mod refusals;
pub(crate) mod sandbox;
mod selection;
mod worktree;
