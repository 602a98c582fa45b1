//! `canonry dream` and `canonry log` as people run them: the real binary in hermetic repositories.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code)]
// Modes and links are set up as on Unix.
#![cfg(unix)]

mod bad;
mod branch;
mod driver;
mod golden;
mod kill;
#[path = "../sync/killing.rs"]
mod killing;
mod log;
mod night;
mod places;
#[path = "../sync/repo.rs"]
mod repo;
mod review;
#[path = "../sync/same.rs"]
mod same;
mod skillforge;
#[path = "../sync/small.rs"]
mod small;
mod status;
mod team;
mod undo;
mod undo_kill;
mod working;
mod writers;
