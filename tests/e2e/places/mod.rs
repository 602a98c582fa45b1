//! Integrations that run canonry: git hooks, the pre-commit framework, cron, systemd, CI, and agent hooks.
// The tests need Unix modes, links and shells.
#![cfg(unix)]

mod ci;
mod cron;
mod docs;
mod git_hooks;
mod odd_hooks;
mod pre_commit;
mod release;
mod systemd;
mod tools;
