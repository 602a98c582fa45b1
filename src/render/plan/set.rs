//! A changed status.

use super::one_line;
use crate::app::plan::set::Outcome;
use std::fmt::Write as _;

/// What `plan set` changed.
pub fn to_text(outcome: &Outcome) -> String {
    let step = one_line(&outcome.step);
    let mut text = format!("{step}: {} -> {} in {}\n", outcome.from.as_str(), outcome.to.as_str(), outcome.path);
    if let Some(report) = &outcome.report {
        let _ = writeln!(text, "recorded the reason in {report}");
    }
    text
}
