//! Where runs are, and what they wait for.

use super::{cost_text, outcome_word, question_to_text};
use crate::render::{counted, json, seconds_text, time_text};
use canonry_app::workflow::status::{EndedStep, OpenTask, OpenTaskState, RunPhase, RunStatus, RunStatusList};
use canonry_runs::workflow::log_line::destination;
use canonry_text::printable::{head, one_line};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The most ended steps that are listed.
const MAX_STEPS: usize = 20;
/// Bytes of a reason on a line.
const REASON: usize = 160;

/// One run in detail, or a line per run.
pub fn to_text(outcome: &RunStatusList) -> String {
    if let ([run], true) = (outcome.runs.as_slice(), outcome.is_single) {
        return detail(run);
    }
    let mut text = String::new();
    for run in &outcome.runs {
        let place = match (&run.question, &run.step) {
            (Some(question), _) if run.is_overdue => format!(" at {}, overdue", one_line(&question.name)),
            (Some(question), _) => format!(" at {}", one_line(&question.name)),
            (None, Some((step, _, _))) => format!(" at {}", one_line(step)),
            (None, None) => String::new(),
        };
        let last = run.last.map(|last| format!(", last event {}", time_text(last))).unwrap_or_default();
        let _ = writeln!(
            text,
            "{}: {}{place}; {} ended{}{last}",
            one_line(&run.run),
            phase_text(&run.phase),
            counted(run.ended.len(), "step"),
            cost_text(&run.usage).map(|cost| format!(", {cost}")).unwrap_or_default(),
        );
    }
    for (run, reason) in &outcome.unreadable {
        let _ = writeln!(text, "{}: unreadable: {}", one_line(run), one_line(reason));
    }
    if text.is_empty() { "there is no run\n".to_owned() } else { text }
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
            let _ = writeln!(text, "  … {hidden} earlier; see `canonry workflow log {id}`");
        }
        run.ended.iter().skip(hidden).for_each(|step| text.push_str(&step_line(step)));
    }
    if let Some(question) = &run.question {
        if run.is_overdue {
            let _ = writeln!(text, "OVERDUE: nobody answered in time; `canonry workflow run {id}` applies the timeout");
        }
        text.push_str(&question_to_text(&run.run, question));
    }
    if run.phase == RunPhase::Ready {
        let _ = writeln!(
            text,
            "Continue with `canonry workflow run {id}` (workers), or with `canonry workflow step {id}` (this session)."
        );
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

fn phase_text(phase: &RunPhase) -> String {
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
pub fn to_json(outcome: &RunStatusList) -> String {
    json::to_text(&json!({
        "schema": "canonry/workflow-status/v1",
        "runs": outcome.runs.iter().map(run_to_json).collect::<Vec<_>>(),
        "unreadable": outcome.unreadable.iter().map(|(run, reason)| json!({"run": run, "reason": reason})).collect::<Vec<_>>(),
    }))
}

/// State of a run, without its outputs and answers.
pub(super) fn run_to_json(run: &RunStatus) -> Value {
    let (until, reason) = match &run.phase {
        RunPhase::WaitingUntil(until) => (Some(until.to_string()), None),
        RunPhase::Aborted(reason) => (None, reason.clone()),
        _ => (None, None),
    };
    let answer = run.question.as_ref().map(|_| format!("canonry workflow approve {} --option OPTION", run.run));
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
