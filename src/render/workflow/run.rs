//! A run of a workflow: its events while it runs, and how it ended.

use super::{NO_TASKS, question_to_text, step_limit_to_text};
use crate::render::workers::budget_to_text;
use crate::render::{counted, plan};
use canonry_app::workflow::run::event::WorkflowEvent;
use canonry_app::workflow::run::{RunWorkflowOutcome, WorkflowLimit, WorkflowRunEnd};
use canonry_runs::workflow::log_line::log_entry;
use canonry_text::printable::one_line;
use serde_json::{Value, json};

/// The version of the events.
const SCHEMA: &str = "canonry/workflow-run/v1";

/// An event on one line.
pub fn event_to_text(event: &WorkflowEvent) -> String {
    match event {
        WorkflowEvent::Budget { run, budget, log } => {
            format!("{}: {}; follow it with `tail -f {}`\n", one_line(run), budget_to_text(budget), log.display(),)
        }
        WorkflowEvent::Journal(entry) => {
            let line = log_entry(entry);
            // The log has the time; a person who watches has a clock.
            format!("{}\n", line.split_once(' ').map_or(line.as_str(), |(_, text)| text))
        }
        WorkflowEvent::Plan(event) => format!("  {}", plan::run::event_to_text(event)),
        WorkflowEvent::Notice(message) => format!("note: {}\n", one_line(message)),
    }
}

/// An event as one JSON document.
pub fn event_to_json(event: &WorkflowEvent) -> String {
    match event {
        WorkflowEvent::Budget { run, budget, log } => document(json!({
            "event": "budget", "run": run, "workers": budget.workers, "minutes": budget.minutes,
            "attempts": budget.attempts, "tokens": budget.tokens, "log": log.to_string_lossy(),
        })),
        WorkflowEvent::Journal(entry) => document(serde_json::to_value(entry).expect("an entry has a JSON form")),
        WorkflowEvent::Plan(event) => plan::run::event_to_json(event),
        WorkflowEvent::Notice(message) => document(json!({"event": "notice", "message": message})),
    }
}

/// Result of a run, as one JSON document.
pub fn outcome_to_json(outcome: &RunWorkflowOutcome) -> String {
    let (end, reason, question) = match &outcome.end {
        WorkflowRunEnd::Complete => ("WORKFLOW_COMPLETE", None, None),
        WorkflowRunEnd::Aborted(reason) => ("ABORT", Some(reason.clone()), None),
        WorkflowRunEnd::Limit(limit) => ("LIMIT", Some(limit_to_text(&outcome.run, limit)), None),
        WorkflowRunEnd::NeedsPerson(question) => ("HUMAN_REQUIRED", None, Some(question)),
        WorkflowRunEnd::PullRequest(message) => ("HUMAN_REQUIRED", Some(message.clone()), None),
        WorkflowRunEnd::Inline(step) => {
            ("HUMAN_REQUIRED", Some(format!("the calling session does the step `{step}`")), None)
        }
        WorkflowRunEnd::SameFailure(reasons) => ("HUMAN_REQUIRED", Some(reasons.join("\n")), None),
        WorkflowRunEnd::WaitingUntil(until) => ("WAITING", Some(until.to_string()), None),
        WorkflowRunEnd::Interrupted => ("INTERRUPTED", None, None),
    };
    document(json!({
        "event": "end", "run": outcome.run, "status": end, "reason": reason, "question": question,
        "steps": outcome.steps, "attempts": outcome.attempts,
    }))
}

/// The end of a queue without a task that is left, as one JSON document.
pub fn no_tasks_to_json() -> String {
    document(json!({"event": "queue_empty", "status": NO_TASKS}))
}

fn document(mut value: Value) -> String {
    let mut whole = serde_json::Map::from_iter([("schema".to_owned(), json!(SCHEMA))]);
    if let Some(object) = value.as_object_mut() {
        whole.append(object);
    }
    format!("{}\n", Value::Object(whole))
}

/// The limit that is reached, and how the run can go on.
fn limit_to_text(run: &str, limit: &WorkflowLimit) -> String {
    match limit {
        WorkflowLimit::Call(limit) => {
            format!("the limit of {} is reached: run this again to continue", one_line(limit))
        }
        WorkflowLimit::MaxSteps(limit) => step_limit_to_text(run, *limit),
        WorkflowLimit::Iterations(limit, reason) => format!(
            "the limit of {} is reached: continue with a higher `--iterations`; last: {}",
            counted(number(*limit), "iteration"),
            one_line(reason)
        ),
    }
}

fn number(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Result of a run, and the next command.
pub fn outcome_to_text(outcome: &RunWorkflowOutcome) -> String {
    let run = one_line(&outcome.run);
    let done = format!(
        "{run}: {} ended, {} started",
        counted(number(outcome.steps), "step"),
        counted(number(outcome.attempts), "worker")
    );
    match &outcome.end {
        WorkflowRunEnd::Complete => format!("{done}; the workflow is complete\n"),
        WorkflowRunEnd::Aborted(reason) => format!("{done}; aborted: {}\n", one_line(reason)),
        WorkflowRunEnd::Limit(limit) => format!("{done}; {}\n", limit_to_text(&outcome.run, limit)),
        WorkflowRunEnd::NeedsPerson(question) => format!("{done}\n{}", question_to_text(&outcome.run, question)),
        WorkflowRunEnd::PullRequest(message) => format!("{done}; {}\n", one_line(message)),
        WorkflowRunEnd::Inline(step) => format!(
            "{done}; `{}` has no agent, and agent/owners.yaml no default: do it in this session with `canonry workflow step {run}`\n",
            one_line(step)
        ),
        WorkflowRunEnd::SameFailure(reasons) => {
            let mut text = format!(
                "{done}; the same failure happened {} in a row, so a person is needed. What was tried:\n",
                counted(3, "time")
            );
            for (at, reason) in reasons.iter().enumerate() {
                text.push_str(&format!("  {}. {}\n", at + 1, one_line(reason)));
            }
            text
        }
        WorkflowRunEnd::WaitingUntil(until) => format!("{done}; waiting until {until}: run this again then\n"),
        WorkflowRunEnd::Interrupted => format!("{done}; stopped: run this again to continue\n"),
    }
}
