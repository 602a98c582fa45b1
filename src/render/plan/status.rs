//! Who works on a plan now.

use super::one_line;
use crate::render::workers::elapsed;
use crate::render::{counted, json};
use canonry_app::plan::status::PlanStatus;
use serde_json::json;
use std::fmt::Write as _;
use std::time::Duration;

/// A line per attempt, claim, waiting and blocked step.
pub fn to_text(outcome: &PlanStatus) -> String {
    let plan = one_line(&outcome.plan);
    let mut text = format!("{plan}: {} of {} complete\n", outcome.complete, counted(outcome.steps, "step"));
    for attempt in &outcome.attempts {
        let step = one_line(&attempt.step);
        let owner = one_line(&attempt.owner);
        let time = elapsed(Duration::from_secs(u64::try_from(attempt.seconds).unwrap_or_default()));
        let state = if attempt.is_alive {
            format!("running for {time}")
        } else {
            "interrupted: the next `canonry plan run` continues it".to_owned()
        };
        let _ = writeln!(text, "  {step}: attempt {} by {owner}, {state}", attempt.attempt);
        if !attempt.last_line.is_empty() {
            let _ = writeln!(text, "    {}", one_line(&attempt.last_line));
        }
        let _ = writeln!(text, "    log: {}", attempt.log.display());
    }
    let has_attempt = |step: &str| outcome.attempts.iter().any(|attempt| attempt.step == step);
    for claim in outcome.claims.iter().filter(|claim| !has_attempt(&claim.step)) {
        let holder = claim.holder.as_deref().unwrap_or("a newer version of canonry");
        let since = claim.time.map(|time| format!(" at {time}")).unwrap_or_default();
        let free = if claim.is_free { " (may be taken over)" } else { "" };
        let _ = writeln!(text, "  {}: claimed by {}{since}{free}", one_line(&claim.step), one_line(holder));
    }
    for (step, until) in &outcome.waiting {
        let _ = writeln!(text, "  {}: waiting until {until}", one_line(step));
    }
    for (step, reason) in outcome.blocked.iter().chain(&outcome.needs_person) {
        let _ = writeln!(text, "  {}: {}", one_line(step), one_line(reason));
    }
    text
}

/// The document `canonry/plan-status/v1`.
pub fn to_json(outcome: &PlanStatus) -> String {
    json::to_text(&json!({
        "schema": "canonry/plan-status/v1",
        "plan": outcome.plan,
        "complete": outcome.complete,
        "total": outcome.steps,
        "attempts": outcome.attempts.iter().map(|attempt| json!({
            "step": attempt.step, "attempt": attempt.attempt, "owner": attempt.owner, "seconds": attempt.seconds,
            "alive": attempt.is_alive, "last_line": attempt.last_line, "log": attempt.log.to_string_lossy(),
        })).collect::<Vec<_>>(),
        "claims": outcome.claims.iter().map(|claim| json!({
            "step": claim.step, "holder": claim.holder, "time": claim.time.map(|time| time.to_string()), "free": claim.is_free,
        })).collect::<Vec<_>>(),
        "waiting": outcome.waiting.iter().map(|(step, until)| json!({
            "step": step, "until": until.to_string(),
        })).collect::<Vec<_>>(),
        "blocked": outcome.blocked.iter().map(|(step, _)| step).collect::<Vec<_>>(),
        "needs_person": outcome.needs_person.iter().map(|(step, reason)| json!({
            "step": step, "reason": reason,
        })).collect::<Vec<_>>(),
    }))
}
