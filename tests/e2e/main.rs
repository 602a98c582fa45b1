//! End-to-end tests: the real binary in hermetic repositories.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]
// The tests set up modes, links, pipes and signals the Unix way.
#![cfg(unix)]

mod agent_context;
mod all;
mod bad_input;
mod bench;
mod check;
mod cli;
mod codeowners;
mod context;
mod corpus;
mod docs;
mod doctor;
mod dream;
mod failpoint_coverage;
mod hook;
mod html_pages;
mod import;
mod init;
mod manual;
mod memory;
mod pack;
mod pictures;
mod places;
mod plan;
mod presence;
mod readme;
mod recall;
mod run_targets;
mod skill_learning;
mod skills;
mod skills_remote;
mod status;
mod support;
mod sync;
mod tasks;
mod tour;
mod workflow;
mod workflow_check;
mod workflow_views;
