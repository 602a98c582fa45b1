//! The causes of rejections.

use crate::render::{committed_line, counted};
use canonry_app::memory::propose::ProposalState;
use canonry_app::workflow::lessons::WorkflowLessons;
use canonry_text::printable::{head, one_line};
use serde_json::json;

/// The most bytes of a cause on its line.
const CAUSE: usize = 160;

/// Each cause with its rejections, and what to do next.
pub fn to_text(outcome: &WorkflowLessons) -> String {
    if outcome.causes.is_empty() {
        return format!("No step was rejected in {}.\n", counted(outcome.runs, "run"));
    }
    let mut text = String::new();
    for cause in &outcome.causes {
        let number = counted(cause.rejections.len(), "rejection");
        text.push_str(&format!("{}: {number}\n", head(&one_line(cause.cause.trim()), CAUSE)));
        for rejection in &cause.rejections {
            let run = one_line(&rejection.run);
            let step = one_line(&rejection.step);
            let at = one_line(&rejection.at);
            text.push_str(&format!("  {run}, {step}, visit {}, {at}\n", rejection.visit));
        }
        if let Some(proposed) = &cause.proposed {
            let candidate = one_line(&proposed.candidate);
            text.push_str(&match proposed.state {
                ProposalState::Staged => format!("  staged for review as {candidate}\n"),
                ProposalState::Pending => format!("  waits for review as {candidate}\n"),
                ProposalState::Accepted => format!("  accepted before as {candidate}\n"),
                ProposalState::Rejected => format!("  rejected before as {candidate}\n"),
            });
        }
    }
    if let Some(commit) = &outcome.commit {
        text.push_str(&committed_line(commit));
    }
    if outcome.causes.iter().any(|cause| cause.proposed.is_some()) {
        text.push_str("Decide with `canonry memory review`.\n");
    }
    text
}

/// The same as a document.
pub fn to_json(outcome: &WorkflowLessons) -> String {
    let causes: Vec<_> = outcome
        .causes
        .iter()
        .map(|cause| {
            let rejections: Vec<_> = cause
                .rejections
                .iter()
                .map(|rejection| {
                    json!({
                        "run": rejection.run, "step": rejection.step, "visit": rejection.visit, "at": rejection.at,
                        "reason": rejection.reason,
                    })
                })
                .collect();
            let state = cause.proposed.as_ref().map(|proposed| match proposed.state {
                ProposalState::Staged => "staged",
                ProposalState::Pending => "pending",
                ProposalState::Accepted => "accepted",
                ProposalState::Rejected => "rejected",
            });
            let candidate = cause.proposed.as_ref().map(|proposed| &proposed.candidate);
            json!({"cause": cause.cause, "rejections": rejections, "candidate": candidate, "state": state})
        })
        .collect();
    let commit = outcome.commit.as_ref().map(|commit| commit.id.to_string());
    let document = json!({
        "schema": "canonry/workflow-lessons/v1", "runs": outcome.runs, "causes": causes, "commit": commit,
    });
    format!("{document}\n")
}
