//! The result of a verification.

use super::{indented, one_line};
use crate::render::{counted, json};
use canonry_app::plan::verify::{PlanVerification, Reverted};
use serde_json::json;
use std::fmt::Write as _;

/// Passed and failed steps.
pub fn to_text(outcome: &PlanVerification) -> String {
    let commit = outcome.commit.get(..10).unwrap_or(&outcome.commit);
    let commands = counted(outcome.commands, "command");
    let mut text = String::new();
    for (step, failure) in &outcome.failures {
        let _ = writeln!(text, "{}: {}", one_line(step), indented(failure));
    }
    for (step, reverted) in &outcome.reverted {
        let step = one_line(step);
        let _ = match reverted {
            Reverted::Commit(commit) => writeln!(text, "{step}: reverted by {}", commit.get(..10).unwrap_or(commit)),
            Reverted::Kept(reason) => writeln!(text, "{step}: not reverted: {}", one_line(reason)),
        };
    }
    let plan = one_line(&outcome.plan);
    let _ = match outcome.failures.len() {
        0 => writeln!(text, "{plan}: {commands} passed in a clean checkout of {commit}; recorded in {}", outcome.path),
        failed => writeln!(
            text,
            "{plan}: {} failed in a clean checkout of {commit} and pending again; recorded in {}",
            counted(failed, "step"),
            outcome.path
        ),
    };
    text
}

/// The document `canonry/plan-verify/v1`.
pub fn to_json(outcome: &PlanVerification) -> String {
    json::to_text(&json!({
        "schema": "canonry/plan-verify/v1",
        "plan": outcome.plan,
        "commit": outcome.commit,
        "commands": outcome.commands,
        "failures": outcome.failures.iter().map(|(step, failure)| json!({"step": step, "error": failure})).collect::<Vec<_>>(),
        "path": outcome.path.to_display(),
    }))
}
