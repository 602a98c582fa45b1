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
pub mod protocol;
pub mod protocol_list;
pub mod recall;
pub mod remote_skills;
pub mod repositories;
pub mod run;
pub mod sarif;
pub mod skill_use;
pub mod skills;
mod statistics;
pub mod sync;
pub mod timeline;
pub mod trust;
pub mod workers;

pub use canonry_runs::numbers::counted;

/// A time for people, without parts of a second.
fn time_text(time: canonry_app::Timestamp) -> String {
    let second = jiff::Timestamp::from_second(time.to_jiff().as_second()).expect("its fraction is cut off");
    canonry_app::Timestamp::from(second).to_string()
}

/// The line that reports a commit.
pub fn committed_line(commit: &canonry_repo::git::commit::Committed) -> String {
    format!("Committed as {}.\n", commit.id.to_hex_with_len(10))
}
