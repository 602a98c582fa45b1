//! The journal of a run.

use crate::app::workflow::log::JournalEntry;
use crate::workflow::log_line::log_entry;

/// A line per entry.
pub fn to_text(entries: &[JournalEntry]) -> String {
    entries.iter().map(|entry| log_entry(entry) + "\n").collect()
}

/// The entries as they are in the journal, one JSON document per line.
pub fn to_json(entries: &[JournalEntry]) -> String {
    entries.iter().filter_map(|entry| Some(serde_json::to_string(entry).ok()? + "\n")).collect()
}
