//! Bad input: one clear message with the path and a remedy, the right exit status, and everything else still works.
// Modes, links, pipes and signals are set up as on Unix.
#![cfg(unix)]

mod config;
mod files;
mod hostile;
mod ids;
mod memory;
mod places;
mod signals;
