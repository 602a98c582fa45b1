//! `canonry sync` as people run it: the real binary in hermetic repositories.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code)]
// Modes and links are set up as on Unix.
#![cfg(unix)]

mod adopt;
mod busy;
mod bytes;
mod canon;
mod commit;
mod disk;
mod dry_run;
mod kill;
mod killing;
mod links;
mod ownership;
mod quiet;
mod repo;
mod same;
mod small;
mod staged;
mod watch;
