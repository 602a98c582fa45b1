//! `canonry sync` end to end: the real binary in hermetic repositories.
// Modes and links are set up as on Unix.
#![cfg(unix)]

mod adopt;
mod adopt_sides;
mod branches;
mod busy;
mod bytes;
mod canon;
mod cases;
mod commit;
mod disk;
mod dry_run;
mod faults;
mod gates;
mod git_hooks;
mod kill;
mod links;
mod lock_repair;
mod merge;
mod messages;
mod modes;
mod moves;
mod nested;
mod older_sync;
mod overlays;
mod own_targets;
mod ownership;
mod quiet;
mod sections;
mod sparse;
mod staged;
mod submodules;
mod table_files;
mod tools;
mod tools_all;
mod tools_commands;
mod tools_omitted;
mod tools_restrictions;
mod tools_rules;
mod tools_shared;
mod tools_sources;
mod uncommitted;
mod user;
mod views;
mod walk;
mod watch;
