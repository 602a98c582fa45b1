//! The state of a memory for a terminal, as JSON, and as an HTML page; and the results of the other memory jobs.

pub mod decisions;
pub mod explain;
pub mod lessons;
mod overview;
mod page;
pub mod review;
pub mod undo;

pub use overview::{overview_to_json, overview_to_text};
pub use page::{GENERATOR, page};

use crate::render::counted;
use canonry_app::memory::merge::MergedMemory;

/// The message about the conflicts of a merge; empty if there are none.
pub fn merge_conflicts(outcome: &MergedMemory) -> String {
    if outcome.conflicts == 0 {
        return String::new();
    }
    let conflicts = counted(outcome.conflicts, "conflict");
    format!("{}: {conflicts}; choose one side of each and remove the markers\n", outcome.path)
}

/// A file size for people.
fn formatted_size(bytes: u64) -> String {
    // Exact as a float up to 2^53.
    let size = bytes as f64;
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", size / 1e3),
        _ => format!("{:.1} MB", size / 1e6),
    }
}

/// A label of a row.
fn row_label(skill: &str, action: &str) -> String {
    match (skill.is_empty(), action.is_empty()) {
        (false, false) => format!("{skill}: {action}"),
        (true, true) => "(a row without text)".to_owned(),
        _ => format!("{skill}{action}"),
    }
}

#[cfg(test)]
mod tests;
