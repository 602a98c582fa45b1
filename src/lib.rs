//! canonry: one canon for every coding agent.
//!
//! The command line: arguments, the call into `canonry_app`, rendering, exit status.

#[doc(hidden)]
pub mod cli;
mod render;
#[cfg(test)]
#[allow(clippy::print_stderr)]
mod tests;
