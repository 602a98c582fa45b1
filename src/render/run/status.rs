//! Where plans and runs are, and what they wait for.

use super::{continue_line, cost_text, one_line, outcome_word, question_to_text, reasons, reasons_to_json};
use crate::render::workers::elapsed;
use crate::render::{counted, json, seconds_text, time_text};
use canonry_app::plan::status::PlanStatus;
use canonry_app::plan::summary::PlanSummary;
use canonry_app::runs::open::{OpenWork, plan_command, run_command};
use canonry_app::workflow::status::{EndedStep, OpenTask, OpenTaskState, RunPhase, RunStatus, RunStatusList};
use canonry_runs::workflow::log_line::destination;
use canonry_text::printable::head;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::Duration;

/// The most ended steps that are listed.
const MAX_STEPS: usize = 20;
/// Bytes of a reason on a line.
const REASON: usize = 160;

/// A line per plan and run, with the next command.
pub fn open_to_text(outcome: &OpenWork) -> String {
    let mut text = String::new();
    let mut line = |id: &str, state: &str, command: &str| {
        let _ = writeln!(text, "{}: {state}; next: `{}`", one_line(id), one_line(command));
    };
    for (id, plan) in &outcome.plans {
        let state = plan.as_ref().map_or_else(|reason| unreadable(reason), steps_text);
        line(id, &state, &plan_command(id, plan));
    }
    for run in &outcome.runs {
        line(&run.run, &run_line(run), &run_command(run));
    }
    for (run, reason) in &outcome.unreadable {
        line(run, &unreadable(reason), &format!("canonry run status {run}"));
    }
    if text.is_empty() { "no plan or run is open\n".to_owned() } else { text }
}

/// The steps of a plan by what becomes of them next.
pub fn steps_text(plan: &PlanSummary) -> String {
    let PlanSummary { steps, complete, in_progress, ready, blocked, unapproved } = plan;
    let mut text = format!("{complete} of {} complete", counted(*steps, "step"));
    let open = [
        (*in_progress, "in progress"),
        (*ready, "ready"),
        (unapproved.len(), "to approve"),
        (blocked.len(), "blocked"),
    ];
    for (count, what) in open.into_iter().filter(|(count, _)| *count > 0) {
        let _ = write!(text, ", {count} {what}");
    }
    text
}

/// The steps of a plan in numbers.
pub fn steps_to_json(plan: &PlanSummary) -> Value {
    json!({
        "steps": plan.steps,
        "complete": plan.complete,
        "in_progress": plan.in_progress,
        "ready": plan.ready,
        "blocked": plan.blocked,
        "unapproved": plan.unapproved,
    })
}

fn unreadable(reason: &str) -> String {
    format!("cannot be read: {}", one_line(reason))
}

/// State of a run on a line.
fn run_line(run: &RunStatus) -> String {
    let place = match (&run.question, &run.step) {
        (Some(question), _) if run.is_overdue => format!(" at {}, overdue", one_line(&question.name)),
        (Some(question), _) => format!(" at {}", one_line(&question.name)),
        (None, Some((step, _, _))) => format!(" at {}", one_line(step)),
        (None, None) => String::new(),
    };
    let last = run.last.map(|last| format!(", last event {}", time_text(last))).unwrap_or_default();
    let cost = cost_text(&run.usage).map(|cost| format!(", {cost}")).unwrap_or_default();
    format!("{}{place}, {} ended{cost}{last}", phase_text(&run.phase), counted(run.ended.len(), "step"))
}

/// The document `canonry/run-status/v1`.
pub fn open_to_json(outcome: &OpenWork) -> String {
    let plan = |(id, plan): &(String, Result<PlanSummary, String>)| {
        let mut value = plan.as_ref().map_or_else(|error| json!({"error": error}), steps_to_json);
        value["plan"] = json!(id);
        value["next"] = json!(plan_command(id, plan));
        value
    };
    let run = |run: &RunStatus| {
        let mut value = run_to_json(run);
        value["next"] = json!(run_command(run));
        value
    };
    json::to_text(&json!({
        "schema": "canonry/run-status/v1",
        "plans": outcome.plans.iter().map(plan).collect::<Vec<_>>(),
        "runs": outcome.runs.iter().map(run).collect::<Vec<_>>(),
        "unreadable": reasons_of_runs(&outcome.unreadable),
    }))
}

fn reasons_of_runs(runs: &[(String, String)]) -> Value {
    runs.iter().map(|(run, reason)| json!({"run": run, "reason": reason})).collect()
}

/// A line per attempt, claim, waiting and blocked step of a plan.
pub fn plan_to_text(outcome: &PlanStatus) -> String {
    let plan = one_line(&outcome.plan);
    let mut text = format!("{plan}: {} of {} complete\n", outcome.complete, counted(outcome.steps, "step"));
    for attempt in &outcome.attempts {
        let step = one_line(&attempt.step);
        let owner = one_line(&attempt.owner);
        let time = elapsed(Duration::from_secs(u64::try_from(attempt.seconds).unwrap_or_default()));
        let state = if attempt.is_alive {
            format!("running for {time}")
        } else {
            "interrupted: the next `canonry run exec` continues it".to_owned()
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
    text + &reasons(&outcome.blocked) + &reasons(&outcome.needs_person)
}

/// The document `canonry/plan-status/v1`.
pub fn plan_status_to_json(outcome: &PlanStatus) -> String {
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
        "needs_person": reasons_to_json(&outcome.needs_person),
    }))
}

/// Runs in detail.
pub fn runs_to_text(outcome: &RunStatusList) -> String {
    outcome.runs.iter().map(detail).collect()
}

/// One run in detail.
pub(super) fn detail(run: &RunStatus) -> String {
    let id = one_line(&run.run);
    let mut text = format!("{id}: {}", phase_text(&run.phase));
    if let Some((step, visit, attempt)) = &run.step {
        let _ = write!(text, "; {} {}", if *visit == 0 { "next is" } else { "at" }, one_line(step));
        for (number, noun) in [(*visit, "visit"), (*attempt, "attempt")] {
            if number > 1 {
                let _ = write!(text, ", {noun} {number}");
            }
        }
    }
    text.push('\n');
    if let RunPhase::Aborted(Some(reason)) = &run.phase {
        let _ = writeln!(text, "  reason: {}", short(reason));
    }
    let version = run.version.as_ref().map(|version| format!(" {}", one_line(version))).unwrap_or_default();
    let _ = write!(text, "  workflow: {}{version}", one_line(&run.workflow));
    if let Some(started) = run.started {
        let _ = write!(text, ", started {}", time_text(started));
    }
    if run.iteration > 1 {
        let _ = write!(text, ", iteration {}", run.iteration);
    }
    text.push('\n');
    if !run.task.is_empty() {
        let _ = writeln!(text, "  task: {}", short(&run.task));
    }
    if let Some(cost) = cost_text(&run.usage) {
        let _ = writeln!(text, "  used: {cost}");
    }
    run.tasks.iter().for_each(|task| text.push_str(&task_line(task)));
    if !run.ended.is_empty() {
        let _ = writeln!(text, "{} ended:", counted(run.ended.len(), "step"));
        let hidden = run.ended.len().saturating_sub(MAX_STEPS);
        if hidden > 0 {
            let _ = writeln!(text, "  … {hidden} earlier; see `canonry run log {id}`");
        }
        run.ended.iter().skip(hidden).for_each(|step| text.push_str(&step_line(step)));
    }
    if let Some(question) = &run.question {
        if run.is_overdue {
            let _ = writeln!(text, "OVERDUE: nobody answered in time; `canonry run exec {id}` applies the timeout");
        }
        text.push_str(&question_to_text(&run.run, question));
    }
    if run.phase == RunPhase::Ready {
        text.push_str(&continue_line(&run.run));
    }
    text
}

fn task_line(task: &OpenTask) -> String {
    let owner = task.owner.as_deref().map_or("a calling session".into(), one_line);
    let since = task.started.map(|started| format!(" since {}", time_text(started))).unwrap_or_default();
    let state = match task.state {
        OpenTaskState::Running => format!("running{since} ({})", seconds_text(task.seconds as f64)),
        OpenTaskState::Interrupted => "interrupted".to_owned(),
        OpenTaskState::WaitingUntil(Some(until)) => format!("usage limit, waits until {}", time_text(until)),
        OpenTaskState::WaitingUntil(None) => "usage limit".to_owned(),
    };
    format!("  task {}, {}: attempt {} by {owner}, {state}\n", task.number, one_line(&task.name), task.attempt)
}

fn step_line(step: &EndedStep) -> String {
    let mut text = format!("  {}: {}", one_line(&step.step), outcome_word(step.outcome));
    if let Some(seconds) = step.seconds() {
        let _ = write!(text, " after {}", seconds_text(seconds));
    }
    for (number, noun) in [(step.visit, "visit"), (step.attempts, "attempt")] {
        if number > 1 {
            let _ = write!(text, ", {noun} {number}");
        }
    }
    if !step.keywords.is_empty() {
        let _ = write!(text, " ({})", one_line(&step.keywords.join(", ")));
    }
    let _ = write!(text, ", next: {}", one_line(&destination(&step.next)));
    if let Some(cost) = cost_text(&step.usage()) {
        let _ = write!(text, "; {cost}");
    }
    if let Some(reason) = &step.reason {
        let _ = write!(text, "\n    {}", short(reason));
    }
    text + "\n"
}

fn short(text: &str) -> String {
    let kept = head(text.trim(), REASON);
    format!("{}{}", one_line(kept), if kept.len() < text.trim().len() { "…" } else { "" })
}

pub fn phase_text(phase: &RunPhase) -> String {
    match phase {
        RunPhase::WaitingUntil(until) => format!("waiting until {}", time_text(*until)),
        RunPhase::NeedsPerson => "waiting for a person".to_owned(),
        RunPhase::Ready => "ready to continue".to_owned(),
        RunPhase::StepLimit(limit) => format!("at the limit of {limit} steps (`max_steps`)"),
        phase => phase_word(phase).to_owned(),
    }
}

/// The state of a run in a word.
pub(super) fn phase_word(phase: &RunPhase) -> &'static str {
    match phase {
        RunPhase::Working => "working",
        RunPhase::Ready => "ready",
        RunPhase::WaitingUntil(_) => "waiting",
        RunPhase::NeedsPerson => "needs_person",
        RunPhase::StepLimit(_) => "limit",
        RunPhase::Complete => "complete",
        RunPhase::Aborted(_) => "aborted",
    }
}

/// The document `canonry/workflow-status/v1`.
pub fn runs_to_json(outcome: &RunStatusList) -> String {
    json::to_text(&json!({
        "schema": "canonry/workflow-status/v1",
        "runs": outcome.runs.iter().map(run_to_json).collect::<Vec<_>>(),
        "unreadable": reasons_of_runs(&outcome.unreadable),
    }))
}

/// State of a run, without its outputs and answers.
pub(super) fn run_to_json(run: &RunStatus) -> Value {
    let (until, reason) = match &run.phase {
        RunPhase::WaitingUntil(until) => (Some(until.to_string()), None),
        RunPhase::Aborted(reason) => (None, reason.clone()),
        _ => (None, None),
    };
    let answer = run.question.as_ref().map(|_| format!("canonry run approve {} --option OPTION", run.run));
    let nothing = |number: u64| if number == 0 { Value::Null } else { number.into() };
    json!({
        "run": run.run,
        "workflow": run.workflow,
        "version": run.version,
        "task": run.task,
        "folder": run.folder.to_string_lossy(),
        "state": phase_word(&run.phase),
        "until": until,
        "reason": reason,
        "started": run.started.map(|time| time.to_string()),
        "last": run.last.map(|time| time.to_string()),
        "iteration": run.iteration,
        "step": run.step.as_ref().map(|(step, visit, attempt)| json!({
            "name": step, "visit": nothing(*visit), "attempt": nothing(*attempt),
        })),
        "tasks": run.tasks.iter().map(task_to_json).collect::<Vec<_>>(),
        "question": run.question,
        "overdue": run.is_overdue,
        "answer_with": answer,
        "ended_steps": run.ended.iter().map(step_to_json).collect::<Vec<_>>(),
        "usage": run.usage,
    })
}

fn task_to_json(task: &OpenTask) -> Value {
    let (state, until) = match task.state {
        OpenTaskState::Running => ("running", None),
        OpenTaskState::Interrupted => ("interrupted", None),
        OpenTaskState::WaitingUntil(until) => ("waiting", until),
    };
    json!({
        "task": task.number, "name": task.name, "owner": task.owner, "attempt": task.attempt,
        "started": task.started.map(|time| time.to_string()), "seconds": task.seconds, "state": state,
        "until": until.map(|until| until.to_string()),
    })
}

fn step_to_json(step: &EndedStep) -> Value {
    json!({
        "step": step.step, "visit": step.visit, "iteration": step.iteration, "attempts": step.attempts,
        "outcome": outcome_word(step.outcome), "keywords": step.keywords, "reason": step.reason, "next": step.next,
        "started": step.started.map(|time| time.to_string()), "ended": step.ended.map(|time| time.to_string()),
        "seconds": step.seconds(), "usage": step.usage(),
    })
}
