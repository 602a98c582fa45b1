//! End-to-end tests: the real binary and the library's entry points, in hermetic repositories.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr
)]
// The tests set up modes, links, pipes and signals the Unix way.
#![cfg(unix)]

mod all;
mod bad_input;
mod check;
mod cli;
mod common;
mod context;
mod corpus;
mod docs;
mod dream;
mod failpoint_coverage;
mod fixes;
mod fuzz;
mod hook;
mod import;
mod init;
mod manual;
mod memory_cases;
mod places;
mod plan_cases;
mod readme;
mod recall;
mod reference;
mod rules;
mod skill_cases;
mod skill_file_cases;
mod skill_violations;
mod skills;
mod support;
mod sync;
mod tour;
mod untouched;
mod workflow_cases;
mod workflow_check;
