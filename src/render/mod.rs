//! Outcomes as text for people and as documents for programs.

pub mod bench;
pub mod check;
pub mod concise;
pub mod context;
pub mod diff;
pub mod doctor;
pub mod drawing;
pub mod dream;
mod excerpt;
pub mod explain;
pub mod github;
pub mod hook;
pub mod human;
pub mod import;
pub mod init;
pub mod install;
pub mod json;
pub mod markdown;
pub mod memory;
pub mod overview;
pub mod pack;
pub mod page;
pub mod plan;
pub mod protocol;
pub mod protocol_list;
pub mod recall;
pub mod remote_skills;
pub mod repositories;
pub mod sarif;
pub mod skill_use;
pub mod skills;
mod statistics;
pub mod sync;
pub mod timeline;
pub mod trust;
pub mod workers;
pub mod workflow;

/// A number with its noun, such as `1 error` or `2 errors`.
pub fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// The line that reports a commit.
pub fn committed_line(commit: &canonry_repo::git::commit::Committed) -> String {
    format!("Committed as {}.\n", commit.id.to_hex_with_len(10))
}
