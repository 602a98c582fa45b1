//! `canonry dream` and `canonry log` end to end: the real binary in hermetic repositories.
// Modes and links are set up as on Unix.
#![cfg(unix)]

mod bad;
mod branch;
mod driver;
mod fault_walk;
mod faults;
mod golden;
pub mod kill;
mod learning;
mod log;
mod night;
mod places;
pub mod review;
mod skillforge;
mod status;
pub mod team;
mod undo;
mod undo_kill;
mod working;
mod writers;
