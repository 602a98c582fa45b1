//! The real command-line tools of the pinned versions in repositories that canonry prepared, with a model server on
//! loopback. What a client sends to its model is the truth about what it read.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]
// Process groups.
#![cfg(unix)]

mod canon;
mod client;
mod context;
mod founding;
mod guards;
mod import;
mod pack;
mod probes;
mod sandbox;
mod server;
mod subagents;
#[allow(dead_code)]
mod support;
mod workers;
