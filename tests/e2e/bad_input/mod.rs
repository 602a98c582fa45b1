//! Bad input: one clear message that names the path and says what to do, the right status, and the rest goes on.
// Modes, links, pipes and signals are set up as on Unix.
#![cfg(unix)]

mod config;
mod files;
mod hostile;
mod ids;
mod memory;
mod places;
mod signals;
