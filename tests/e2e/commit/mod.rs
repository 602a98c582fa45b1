//! The commit function against the real git, in hermetic repositories.
// Modes, links and filters are set up as on Unix.
#![cfg(unix)]

mod environment;
mod onto;
mod places;
mod progress;
mod refusals;
mod sandbox;
mod selection;
mod worktree;
