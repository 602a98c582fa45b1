//! The states of plans and runs: a line each, in detail, and as JSON.

use super::report::{MAX_STEPS, short, step_to_text};
use super::{continue_line, one_line, question_to_text, reasons};
use crate::render::workers::elapsed;
use crate::render::{counted, json, time_text};
use canonry_app::runs::status::{AttemptState, OpenAttempt, RunPhase, RunStatus, WorkflowPosition};
use canonry_runs::numbers::usage_text;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::Duration;

/// A line per plan and run, with the next command.
pub fn list_to_text(runs: &[RunStatus]) -> String {
    let mut text = String::new();
    let mut line = |name: &str, state: &str, command: &str| {
        let _ = writeln!(text, "{}: {state}; next: `{}`", one_line(name), one_line(command));
    };
    for run in runs {
        let state = match (&run.phase, &run.workflow) {
            (phase @ RunPhase::Unreadable { .. }, _) => one_line(&phase.to_string()).into_owned(),
            (_, Some(workflow)) => run_line(run, workflow),
            (_, None) => steps_text(run),
        };
        line(&run.name, &state, &run.next_command());
    }
    if text.is_empty() { "no plan or run is open\n".to_owned() } else { text }
}

/// The steps of a plan by what becomes of them next.
pub fn steps_text(plan: &RunStatus) -> String {
    let steps = &plan.steps;
    let mut text = format!("{} of {} complete", steps.complete, counted(steps.total.unwrap_or_default(), "step"));
    let open = [
        (steps.in_progress, "in progress"),
        (steps.ready, "ready"),
        (plan.unapproved.len(), "to approve"),
        (plan.blocked.len(), "blocked"),
    ];
    for (count, what) in open.into_iter().filter(|(count, _)| *count > 0) {
        let _ = write!(text, ", {count} {what}");
    }
    text
}

/// State of a run of a workflow on a line.
fn run_line(run: &RunStatus, workflow: &WorkflowPosition) -> String {
    let place = match (&run.question, &workflow.step) {
        (Some(question), _) if run.is_overdue => format!(" at {}, overdue", one_line(&question.name)),
        (Some(question), _) => format!(" at {}", one_line(&question.name)),
        (None, Some(step)) => format!(" at {}", one_line(&step.name)),
        (None, None) => String::new(),
    };
    let last = workflow.last.map(|last| format!(", last event {}", time_text(last))).unwrap_or_default();
    let cost = usage_text(&run.usage).map(|cost| format!(", {cost}")).unwrap_or_default();
    format!("{}{place}, {} ended{cost}{last}", run.phase, counted(workflow.ended.len(), "step"))
}

/// Plans and runs in detail.
pub fn details_to_text(runs: &[RunStatus]) -> String {
    runs.iter().map(details).collect()
}

/// A plan or a run in detail.
fn details(run: &RunStatus) -> String {
    let name = one_line(&run.name);
    let mut text = match &run.workflow {
        None => format!("{name}: {}\n", steps_text(run)),
        Some(workflow) => format!("{name}: {}", run.phase) + &position(run, workflow),
    };
    run.attempts.iter().for_each(|attempt| text.push_str(&attempt_lines(attempt)));
    let has_attempt = |step: &str| run.attempts.iter().any(|attempt| attempt.step == step);
    for claim in run.claims.iter().filter(|claim| !has_attempt(&claim.step)) {
        let holder = claim.holder.as_deref().unwrap_or("a newer version of canonry");
        let since = claim.time.map(|time| format!(" at {time}")).unwrap_or_default();
        let free = if claim.is_free { " (may be taken over)" } else { "" };
        let _ = writeln!(text, "  {}: claimed by {}{since}{free}", one_line(&claim.step), one_line(holder));
    }
    for (step, until) in run.waiting.iter().filter(|(step, _)| !has_attempt(step)) {
        let _ = writeln!(text, "  {}: waiting until {until}", one_line(step));
    }
    text.push_str(&reasons(&run.blocked));
    text.push_str(&reasons(&run.unapproved));
    let ended = run.workflow.as_ref().map(|workflow| workflow.ended.as_slice()).unwrap_or_default();
    if !ended.is_empty() {
        let _ = writeln!(text, "{} ended:", counted(ended.len(), "step"));
        let hidden = ended.len().saturating_sub(MAX_STEPS);
        if hidden > 0 {
            let _ = writeln!(text, "  … {hidden} earlier; see `canonry run log {name}`");
        }
        ended.iter().skip(hidden).for_each(|step| text.push_str(&step_to_text(step)));
    }
    if let Some(question) = &run.question {
        if run.is_overdue {
            let _ = writeln!(text, "OVERDUE: nobody answered in time; `canonry run exec {name}` applies the timeout");
        }
        text.push_str(&question_to_text(&run.name, question));
    }
    if run.phase == RunPhase::Ready {
        text.push_str(&continue_line(&run.name));
    }
    text
}

/// The step of a run, its workflow, its task and its cost.
fn position(run: &RunStatus, workflow: &WorkflowPosition) -> String {
    let mut text = String::new();
    if let Some(step) = &workflow.step {
        let _ = write!(text, "; {} {}", if step.visit.is_none() { "next is" } else { "at" }, one_line(&step.name));
        for (number, noun) in [(step.visit, "visit"), (step.attempt, "attempt")] {
            if let Some(number) = number.filter(|number| *number > 1) {
                let _ = write!(text, ", {noun} {number}");
            }
        }
    }
    text.push('\n');
    if let RunPhase::Aborted { reason: Some(reason) } = &run.phase {
        let _ = writeln!(text, "  reason: {}", short(reason));
    }
    let version = workflow.version.as_ref().map(|version| format!(" {}", one_line(version))).unwrap_or_default();
    let _ = write!(text, "  workflow: {}{version}", one_line(&workflow.name));
    if let Some(started) = workflow.started {
        let _ = write!(text, ", started {}", time_text(started));
    }
    if workflow.iteration > 1 {
        let _ = write!(text, ", iteration {}", workflow.iteration);
    }
    text.push('\n');
    if !workflow.task.is_empty() {
        let _ = writeln!(text, "  task: {}", short(&workflow.task));
    }
    if let Some(cost) = usage_text(&run.usage) {
        let _ = writeln!(text, "  used: {cost}");
    }
    text
}

/// An attempt, the last line of its output, and its log.
fn attempt_lines(attempt: &OpenAttempt) -> String {
    let owner = attempt.owner.as_deref().map_or("a calling session".into(), one_line);
    let task = attempt.task.map(|task| format!(", task {task}")).unwrap_or_default();
    let seconds = Duration::from_secs(u64::try_from(attempt.seconds).unwrap_or_default());
    let state = match attempt.state {
        AttemptState::Running => format!("running for {}", elapsed(seconds)),
        AttemptState::Interrupted => "interrupted: the next `canonry run exec` continues it".to_owned(),
        AttemptState::WaitingUntil { until: Some(until) } => format!("usage limit, waits until {}", time_text(until)),
        AttemptState::WaitingUntil { until: None } => "usage limit".to_owned(),
    };
    let mut text = format!("  {}{task}: attempt {} by {owner}, {state}\n", one_line(&attempt.step), attempt.attempt);
    if !attempt.last_line.is_empty() {
        let _ = writeln!(text, "    {}", one_line(&attempt.last_line));
    }
    if let Some(log) = &attempt.log {
        let _ = writeln!(text, "    log: {}", log.display());
    }
    text
}

/// The document `canonry/run-status/v1`.
pub fn to_json(runs: &[RunStatus]) -> String {
    json::to_text(&json!({"schema": "canonry/run-status/v1", "runs": runs_to_json(runs)}))
}

/// Plans and runs, each with its next command.
pub fn runs_to_json(runs: &[RunStatus]) -> Value {
    let with_next = |run: &RunStatus| {
        let mut value = serde_json::to_value(run).expect("a state has a JSON form");
        value["next"] = json!(run.next_command());
        value
    };
    runs.iter().map(with_next).collect()
}
