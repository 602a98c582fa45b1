//! The places where canonry runs by itself: git hooks, the pre-commit framework, cron, CI, and after an agent's edit.
// Modes, links and shells are set up as on Unix.
#![cfg(unix)]

mod ci;
mod cron;
mod docs;
mod git_hooks;
mod odd_hooks;
mod pre_commit;
mod systemd;
mod tools;
