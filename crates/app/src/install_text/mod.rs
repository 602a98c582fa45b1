//! The text that `canonry install` adds to files of git, cron and systemd. Pure: every function maps the old
//! content of a file to the new one, and keeps what canonry did not write byte for byte.

pub mod ci;
pub mod codeowners;
pub mod crontab;
pub mod generated;
pub mod git_hook;
pub mod hook_script;
pub mod merge_driver;
pub mod systemd;
