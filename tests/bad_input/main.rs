//! Bad input: one clear message that names the path and says what to do, the right status, and the rest goes on.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code)]
// Modes, links, pipes and signals are set up as on Unix.
#![cfg(unix)]

mod config;
mod files;
mod hostile;
mod ids;
mod memory;
mod places;
#[path = "../sync/repo.rs"]
mod repo;
mod signals;
