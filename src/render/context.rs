//! An assembled context.

use super::json;
use canonry_app::context::ContextOutcome;
use std::fmt::Write as _;

/// The document `canonry/context/v1`.
pub fn to_json(outcome: &ContextOutcome) -> String {
    json::document_of("canonry/context/v1", outcome)
}

/// One line for stderr: agents read it too, so it counts what was left out, and the JSON document names it.
pub fn summary(outcome: &ContextOutcome) -> String {
    let ContextOutcome { used, budget, .. } = outcome;
    let mut text = if used > budget {
        format!("Used {used} tokens, more than the budget of {budget}: what is never allowed is not cut.")
    } else {
        format!("Used {used} of {budget} tokens.")
    };
    let incomplete = outcome.sections.iter().filter(|section| !section.left_out.is_empty());
    let counts: Vec<String> =
        incomplete.map(|section| format!("{} {}", section.kind.name(), section.left_out.len())).collect();
    if !counts.is_empty() {
        let _ = write!(text, " Left out: {} (list: --format json).", counts.join(", "));
    }
    text + "\n"
}
