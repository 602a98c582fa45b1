//! Jobs on the memory besides `dream`, `log`, `recall` and `context`: reports, reviews, undo, and merging.

mod answer;
mod batch;
pub mod decide;
pub mod explain;
mod inspection;
pub mod interactive;
pub mod merge;
mod place;
pub mod propose;
mod queue;
mod reject_lesson;
pub mod review;
mod review_changes;
mod review_context;
mod selection;
pub mod status;
pub mod undo;
mod write;

/// A text in one line, without characters that a terminal would interpret.
pub fn single_line(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
