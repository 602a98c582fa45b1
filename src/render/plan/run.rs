//! A run: its events while it runs, and how it ended.

use super::one_line;
use crate::render::counted;
use crate::render::workers::budget_to_text;
use canonry_app::plan::run::event::{AttemptEnd, PlanRunEvent};
use canonry_app::plan::run::{PlanRunEnd, RunPlanOutcome};
use serde_json::{Value, json};

/// The version of the events.
const SCHEMA: &str = "canonry/plan-run/v1";

/// An event on one line.
pub fn event_to_text(event: &PlanRunEvent) -> String {
    match event {
        PlanRunEvent::Budget { plan, budget, open } => {
            format!("{}: {} to do; {}\n", one_line(plan), counted(*open, "step"), budget_to_text(budget),)
        }
        PlanRunEvent::Recovered { step, attempt } => {
            format!("{}: found attempt {attempt} of an earlier run\n", one_line(step))
        }
        PlanRunEvent::Started { step, attempt, owner, log } => {
            let step = one_line(step);
            let owner = one_line(owner);
            format!("{step}: attempt {attempt} started by {owner}; follow it with `tail -f {}`\n", log.display())
        }
        PlanRunEvent::Ended { step, attempt, end } => {
            format!("{}: attempt {attempt} {}\n", one_line(step), end_to_text(end))
        }
        PlanRunEvent::Kept { branch, folder, reason } => {
            format!("kept {} in {}: {}\n", one_line(branch), folder.display(), one_line(reason))
        }
        PlanRunEvent::Notice(message) => format!("note: {}\n", one_line(message)),
    }
}

fn end_to_text(end: &AttemptEnd) -> String {
    match end {
        AttemptEnd::Complete { commands, commit } => {
            let proof = match commands {
                0 => "on the worker's word: the step has no commands".to_owned(),
                commands => format!("{} passed", counted(*commands, "command")),
            };
            let commit = commit.as_ref().map(|commit| format!("; commit {}", commit.get(..10).unwrap_or(commit)));
            format!("complete: {proof}{}", commit.unwrap_or_default())
        }
        AttemptEnd::Retry(error) => format!("failed and may be tried again: {}", first_line(error)),
        AttemptEnd::Blocked(error) => format!("failed, and the step is blocked: {}", first_line(error)),
        AttemptEnd::Proposed(state) => format!("was verified: {}", first_line(state)),
        AttemptEnd::Replaced(reason) => format!("does not count: {}", first_line(reason)),
        AttemptEnd::WaitingUntil(until) => format!("reached a usage limit: waiting until {until}"),
        AttemptEnd::Interrupted => "was stopped and does not count".to_owned(),
        AttemptEnd::Fenced => "was discarded: someone else has taken over the claim; its work is kept".to_owned(),
    }
}

fn first_line(text: &str) -> String {
    // The line before quoted output ends with a colon.
    one_line(text.lines().next().unwrap_or_default().trim_end_matches(':')).into_owned()
}

/// An event as one JSON document.
pub fn event_to_json(event: &PlanRunEvent) -> String {
    let mut document = match event {
        PlanRunEvent::Budget { plan, budget, open } => json!({
            "event": "budget", "plan": plan, "open": open,
            "workers": budget.workers, "minutes": budget.minutes, "attempts": budget.attempts,
            "tokens": budget.tokens,
        }),
        PlanRunEvent::Recovered { step, attempt } => json!({"event": "recovered", "step": step, "attempt": attempt}),
        PlanRunEvent::Started { step, attempt, owner, log } => json!({
            "event": "started", "step": step, "attempt": attempt, "owner": owner, "log": log.to_string_lossy(),
        }),
        PlanRunEvent::Ended { step, attempt, end } => {
            let (outcome, error, until, commit) = match end {
                AttemptEnd::Complete { commit, .. } => ("complete", None, None, commit.clone()),
                AttemptEnd::Retry(error) => ("failed", Some(error), None, None),
                AttemptEnd::Blocked(error) => ("blocked", Some(error), None, None),
                AttemptEnd::Proposed(state) => ("pull_request", Some(state), None, None),
                AttemptEnd::Replaced(reason) => ("usage_limit", Some(reason), None, None),
                AttemptEnd::WaitingUntil(until) => ("usage_limit", None, Some(until.to_string()), None),
                AttemptEnd::Interrupted => ("interrupted", None, None, None),
                AttemptEnd::Fenced => ("fenced", None, None, None),
            };
            json!({
                "event": "ended", "step": step, "attempt": attempt, "outcome": outcome, "error": error,
                "waiting_until": until, "commit": commit,
            })
        }
        PlanRunEvent::Kept { branch, folder, reason } => {
            json!({"event": "kept", "branch": branch, "folder": folder.to_string_lossy(), "reason": reason})
        }
        PlanRunEvent::Notice(message) => json!({"event": "notice", "message": message}),
    };
    line(&mut document)
}

/// Result of a run, as one JSON document.
pub fn outcome_to_json(outcome: &RunPlanOutcome) -> String {
    let (end, reason, steps) = match &outcome.end {
        PlanRunEnd::Complete => ("complete", None, json!([])),
        PlanRunEnd::NeedsPerson(steps) => {
            let step = |(step, reason): &(String, String)| json!({"step": step, "reason": reason});
            ("needs_person", None, steps.iter().map(step).collect())
        }
        PlanRunEnd::Budget(limit) => ("budget", Some(limit.clone()), json!([])),
        PlanRunEnd::WaitingUntil(until) => ("waiting", Some(until.to_string()), json!([])),
        PlanRunEnd::HeldElsewhere(steps) => {
            let step = |(step, reason): &(String, String)| json!({"step": step, "reason": reason});
            ("held_elsewhere", None, steps.iter().map(step).collect())
        }
        PlanRunEnd::NotReady(step) => ("not_ready", None, json!([{"step": step}])),
        PlanRunEnd::Interrupted => ("interrupted", None, json!([])),
    };
    line(&mut json!({
        "event": "end", "plan": outcome.plan, "outcome": end, "reason": reason, "steps": steps,
        "complete": outcome.complete, "total": outcome.steps, "attempts": outcome.attempts,
    }))
}

fn line(document: &mut Value) -> String {
    let mut whole = serde_json::Map::from_iter([("schema".to_owned(), json!(SCHEMA))]);
    if let Some(object) = document.as_object_mut() {
        whole.append(object);
    }
    format!("{}\n", Value::Object(whole))
}

/// Result of a run, and the next command.
pub fn outcome_to_text(outcome: &RunPlanOutcome) -> String {
    let plan = one_line(&outcome.plan);
    let done = format!(
        "{plan}: {} of {} complete, {} in this run",
        outcome.complete,
        counted(outcome.steps, "step"),
        counted(usize::try_from(outcome.attempts).unwrap_or(usize::MAX), "attempt")
    );
    match &outcome.end {
        PlanRunEnd::Complete => format!("{done}\n"),
        PlanRunEnd::NeedsPerson(steps) => {
            let mut text = format!("{done}; a person is needed:\n");
            for (step, reason) in steps {
                text.push_str(&format!("  {}: {}\n", one_line(step), one_line(reason)));
            }
            text
        }
        PlanRunEnd::Budget(limit) => format!("{done}; the budget of {limit} is used up: run this again to continue\n"),
        PlanRunEnd::WaitingUntil(until) => format!("{done}; waiting until {until}: run this again then\n"),
        PlanRunEnd::HeldElsewhere(steps) => {
            let mut text = format!("{done}; others have the rest:\n");
            for (step, reason) in steps {
                text.push_str(&format!("  {}: {}\n", one_line(step), one_line(reason)));
            }
            text
        }
        PlanRunEnd::NotReady(step) => format!("{done}; `{}` is not ready: run `canonry plan show`\n", one_line(step)),
        PlanRunEnd::Interrupted => format!("{done}; stopped: run this again to continue\n"),
    }
}
