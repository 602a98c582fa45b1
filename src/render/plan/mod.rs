//! Plans: one file per outcome. Texts from plans are data: control characters are escaped.

pub mod export;
pub mod graph;
pub mod new;
pub mod next;
pub mod report;
pub mod report_page;
pub mod set;
pub mod show;
pub mod svg;
mod timeline;

use crate::plan::phases::PhaseState;
use std::borrow::Cow;

/// The number of names that a line lists.
const MAX_NAMES: usize = 3;

/// A text on one line: control characters and direction marks, which can hide or reorder text, are escaped.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| if is_unsafe(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

/// Marks a Markdown report that canonry wrote.
pub fn report_marker() -> &'static str {
    crate::plan::combined::MARKER
}

/// The phase of a plan, and what is missing for the next one.
pub fn phase_line(plan: &str, phase: &PhaseState) -> String {
    format!("{}: {}\n", one_line(plan), one_line(&phase.to_string()))
}

/// The first names, and the number of the others.
fn names(ids: &[String]) -> String {
    let shown: Vec<Cow<'_, str>> = ids.iter().take(MAX_NAMES).map(|id| one_line(id)).collect();
    let shown = shown.join(", ");
    if ids.len() > MAX_NAMES { format!("{shown} and {} more", ids.len() - MAX_NAMES) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_direction_marks_are_escaped() {
        assert_eq!(one_line("a\u{1b}[2J\n\u{202e}b"), "a\\u{1b}[2J\\n\\u{202e}b");
        assert_eq!(one_line("größe"), "größe");
    }

    #[test]
    fn many_names_are_counted() {
        let ids: Vec<String> = (1..=5).map(|id| id.to_string()).collect();
        assert_eq!(names(&ids), "1, 2, 3 and 2 more");
        assert_eq!(names(&ids[..3]), "1, 2, 3");
    }
}
