//! The end of the work on a step.

use super::one_line;
use crate::app::plan::finish::Outcome;
use crate::render::counted;

/// What was recorded, or why nothing was.
pub fn to_text(outcome: &Outcome) -> String {
    let step = one_line(&outcome.step);
    let commands = counted(outcome.commands, "command");
    match (&outcome.failure, &outcome.report) {
        (Some(failure), _) => {
            let lines: Vec<_> = failure.lines().map(one_line).collect();
            format!("{step}: still {}: {}\n", outcome.status.as_str(), lines.join("\n  "))
        }
        (None, Some(report)) => format!("{step}: {} ({commands} run), report in {report}\n", outcome.status.as_str()),
        (None, None) => format!("{step}: {}\n", outcome.status.as_str()),
    }
}
