//! The places where canonry runs by itself: git hooks, the pre-commit framework, cron, CI, and after an agent's edit.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr, dead_code)]
// Modes, links and shells are set up as on Unix.
#![cfg(unix)]

mod ci;
mod cron;
mod docs;
mod git_hooks;
mod odd_hooks;
mod pre_commit;
#[path = "../common/repo.rs"]
mod repo;
mod systemd;
mod tools;
