//! An exported plan.

use crate::app::plan::export::Outcome;

/// What `plan export --output FILE` did. `file` is the path as given.
pub fn to_text(outcome: &Outcome, file: &str) -> String {
    let what = if outcome.unchanged == Some(true) { "unchanged" } else { "wrote    " };
    let mut text = format!("{what} {file}\n");
    if !outcome.is_checked {
        text.push_str("`canonry check` does not compare this file with the plan: it looks in .github/workflows and agent/exports.\n");
    }
    text
}
