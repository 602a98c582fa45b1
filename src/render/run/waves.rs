//! Preview of a run.

use super::one_line;
use crate::render::{counted, json};
use canonry_app::plan::waves::PlanWaves;
use serde_json::json;
use std::fmt::Write as _;

/// The waves with the command and the prompt of each step.
pub fn to_text(outcome: &PlanWaves) -> String {
    let budget = outcome.budget;
    let mut text = format!(
        "{}  {}\nbudget: {} at a time, {} minutes, {} attempts\n",
        one_line(&outcome.plan),
        outcome.path,
        counted(budget.workers, "worker"),
        budget.minutes,
        budget.attempts
    );
    for (at, wave) in outcome.waves.iter().enumerate() {
        let _ = writeln!(text, "wave {}", at + 1);
        for step in wave {
            let argv: Vec<_> = step.argv.iter().map(|word| one_line(word)).collect();
            let place = if step.worktree { " in its own worktree" } else { "" };
            let _ = writeln!(text, "  {}  {}: {}{place}", one_line(&step.id), one_line(&step.owner), argv.join(" "));
            for line in step.prompt.lines() {
                let _ = writeln!(text, "{}", format!("    | {}", one_line(line)).trim_end());
            }
        }
    }
    text
}

/// The document `canonry/plan-waves/v1`.
pub fn to_json(outcome: &PlanWaves) -> String {
    json::to_text(&json!({
        "schema": "canonry/plan-waves/v1",
        "plan": outcome.plan,
        "path": outcome.path.to_display(),
        "budget": {
            "workers": outcome.budget.workers, "minutes": outcome.budget.minutes, "attempts": outcome.budget.attempts,
        },
        "waves": outcome.waves.iter().map(|wave| wave.iter().map(|step| json!({
            "id": step.id, "owner": step.owner, "argv": step.argv, "prompt": step.prompt, "worktree": step.worktree,
        })).collect::<Vec<_>>()).collect::<Vec<_>>(),
    }))
}
