//! Plans: one file for each document and listing, and one for the commands that change a plan. Texts from plans are data:
//! control characters are escaped.

pub mod changes;
pub mod claim;
pub mod graph;
pub mod next;
pub mod report;
pub mod report_page;
pub mod run;
pub mod show;
pub mod status;
pub mod verify;
pub mod waves;

pub(crate) use canonry_text::printable::one_line;

use canonry_runs::plan::phases::PhaseState;
use std::borrow::Cow;

/// The number of names that a line lists.
const MAX_NAMES: usize = 3;

/// Marks a Markdown report that canonry wrote.
pub fn report_marker() -> &'static str {
    canonry_runs::plan::combined::MARKER
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
    fn many_names_are_counted() {
        let ids: Vec<String> = (1..=5).map(|id| id.to_string()).collect();
        assert_eq!(names(&ids), "1, 2, 3 and 2 more");
        assert_eq!(names(&ids[..3]), "1, 2, 3");
    }
}
