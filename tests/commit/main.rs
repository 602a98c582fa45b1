//! The commit function against the real git, in hermetic repositories.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, missing_docs)]
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
