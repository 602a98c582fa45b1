//! The answer to a calling loop.

use super::question_to_text;
use canonry_app::workflow::decide::{DecidedTask, LoopStatus};
use canonry_text::printable::one_line;
use serde_json::json;

/// The status word on the first line, then what it means.
pub fn to_text(outcome: &DecidedTask) -> String {
    let mut text = format!("{}\n", outcome.status.word());
    if let Some(next) = &outcome.next {
        text.push_str(&format!("next: {}\n", one_line(next)));
    }
    if let Some(reason) = &outcome.reason {
        text.push_str(&format!("reason: {}\n", one_line(reason)));
    }
    if let LoopStatus::HumanRequired(Some(question)) = &outcome.status {
        text.push_str(&question_to_text(&outcome.run, question));
    }
    text
}

/// The same as a document.
pub fn to_json(outcome: &DecidedTask) -> String {
    let question = match &outcome.status {
        LoopStatus::HumanRequired(question) => question.as_ref(),
        _ => None,
    };
    let document = json!({
        "schema": "canonry/workflow-decide/v1", "run": outcome.run, "status": outcome.status.word(),
        "step": outcome.step, "next": outcome.next, "reason": outcome.reason, "question": question,
    });
    format!("{document}\n")
}
