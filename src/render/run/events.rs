//! Events while a plan or a workflow is executed, how it ended, and its log.

use super::{NO_TASKS, first_line, many, one_line, question_to_text, reasons, reasons_to_json, step_limit_to_text};
use crate::render::workers::budget_to_text;
use crate::render::{counted, time_text};
use canonry_app::plan::report::{CombinedAttempt, CombinedReport};
use canonry_app::plan::run::event::{AttemptEnd, PlanRunEvent};
use canonry_app::plan::run::{PersonRequest, PlanRunEnd, RunPlanOutcome};
use canonry_app::workflow::log::JournalEntry;
use canonry_app::workflow::run::event::WorkflowEvent;
use canonry_app::workflow::run::{RunWorkflowOutcome, WorkflowLimit, WorkflowRunEnd};
use canonry_model::canon::report::AttemptOutcome;
use canonry_runs::workflow::log_line::log_entry;
use serde_json::{Value, json};

/// The versions of the events.
const PLAN_SCHEMA: &str = "canonry/plan-run/v1";
const WORKFLOW_SCHEMA: &str = "canonry/workflow-run/v1";

/// One JSON document, which names its schema first.
fn document(schema: &str, mut content: Value) -> String {
    let mut whole = serde_json::Map::from_iter([("schema".to_owned(), json!(schema))]);
    if let Some(object) = content.as_object_mut() {
        whole.append(object);
    }
    format!("{}\n", Value::Object(whole))
}

/// An event of a plan on one line.
pub fn plan_event_to_text(event: &PlanRunEvent) -> String {
    match event {
        PlanRunEvent::Budget { plan, budget, open } => {
            format!("{}: {} to do; {}\n", one_line(plan), counted(*open, "step"), budget_to_text(budget))
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
            let branch = one_line(branch);
            let folder = folder.display();
            let remove = format!("git worktree remove '{folder}' && git branch -D '{branch}'");
            format!("kept {branch} in {folder}: {}; `{remove}` removes it\n", one_line(reason))
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

/// An event of a plan as one JSON document.
pub fn plan_event_to_json(event: &PlanRunEvent) -> String {
    let content = match event {
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
    document(PLAN_SCHEMA, content)
}

/// End of the execution of a plan, and the next command.
pub fn plan_end_to_text(outcome: &RunPlanOutcome) -> String {
    let plan = one_line(&outcome.plan);
    let steps = counted(outcome.steps, "step");
    let attempts = many(outcome.attempts, "attempt");
    let end = match &outcome.end {
        PlanRunEnd::Complete => String::new(),
        PlanRunEnd::NeedsPerson(steps) => format!("; a person is needed:\n{}", reasons(steps).trim_end()),
        PlanRunEnd::Budget(limit) => format!("; the budget of {limit} is used up: run this again to continue"),
        PlanRunEnd::WaitingUntil(until) => format!("; waiting until {until}: run this again then"),
        PlanRunEnd::HeldElsewhere(steps) => format!("; others have the rest:\n{}", reasons(steps).trim_end()),
        PlanRunEnd::NotReady(step) => format!("; `{}` is not ready: run `canonry run show {plan}`", one_line(step)),
        PlanRunEnd::Interrupted => "; stopped: run this again to continue".to_owned(),
    };
    format!("{plan}: {} of {steps} complete, {attempts} in this run{end}\n", outcome.complete)
}

/// End of the execution of a plan, as one JSON document.
pub fn plan_end_to_json(outcome: &RunPlanOutcome) -> String {
    let (end, reason, steps) = match &outcome.end {
        PlanRunEnd::Complete => ("complete", None, json!([])),
        PlanRunEnd::NeedsPerson(steps) => {
            let steps = steps
                .iter()
                .map(|(step, PersonRequest { reason, next })| json!({"step": step, "reason": reason, "next": next}));
            ("needs_person", None, steps.collect())
        }
        PlanRunEnd::Budget(limit) => ("budget", Some(limit.clone()), json!([])),
        PlanRunEnd::WaitingUntil(until) => ("waiting", Some(until.to_string()), json!([])),
        PlanRunEnd::HeldElsewhere(steps) => ("held_elsewhere", None, reasons_to_json(steps)),
        PlanRunEnd::NotReady(step) => ("not_ready", None, json!([{"step": step}])),
        PlanRunEnd::Interrupted => ("interrupted", None, json!([])),
    };
    let content = json!({
        "event": "end", "plan": outcome.plan, "outcome": end, "reason": reason, "steps": steps,
        "complete": outcome.complete, "total": outcome.steps, "attempts": outcome.attempts,
    });
    document(PLAN_SCHEMA, content)
}

/// An event of a workflow on one line.
pub fn workflow_event_to_text(event: &WorkflowEvent) -> String {
    match event {
        WorkflowEvent::Budget { run, budget, log } => {
            format!("{}: {}; follow it with `tail -f {}`\n", one_line(run), budget_to_text(budget), log.display())
        }
        WorkflowEvent::Journal(entry) => {
            let line = log_entry(entry);
            // The log has the time; a person who watches has a clock.
            format!("{}\n", line.split_once(' ').map_or(line.as_str(), |(_, text)| text))
        }
        WorkflowEvent::Plan(event) => format!("  {}", plan_event_to_text(event)),
        WorkflowEvent::Notice(message) => format!("note: {}\n", one_line(message)),
    }
}

/// An event of a workflow as one JSON document.
pub fn workflow_event_to_json(event: &WorkflowEvent) -> String {
    let content = match event {
        WorkflowEvent::Budget { run, budget, log } => json!({
            "event": "budget", "run": run, "workers": budget.workers, "minutes": budget.minutes,
            "attempts": budget.attempts, "tokens": budget.tokens, "log": log.to_string_lossy(),
        }),
        WorkflowEvent::Journal(entry) => serde_json::to_value(entry).expect("an entry has a JSON form"),
        WorkflowEvent::Plan(event) => return plan_event_to_json(event),
        WorkflowEvent::Notice(message) => json!({"event": "notice", "message": message}),
    };
    document(WORKFLOW_SCHEMA, content)
}

/// End of the execution of a workflow, and the next command.
pub fn workflow_end_to_text(outcome: &RunWorkflowOutcome) -> String {
    let run = one_line(&outcome.run);
    let end = match &outcome.end {
        WorkflowRunEnd::Complete => "; the workflow is complete\n".to_owned(),
        WorkflowRunEnd::Aborted(reason) => format!("; aborted: {}\n", one_line(reason)),
        WorkflowRunEnd::Limit(limit) => format!("; {}\n", limit_to_text(&outcome.run, limit)),
        WorkflowRunEnd::NeedsPerson(question) => format!("\n{}", question_to_text(&outcome.run, question)),
        WorkflowRunEnd::PullRequest(message) => format!("; {}\n", one_line(message)),
        WorkflowRunEnd::Inline(step) => format!(
            "; `{}` has no agent, and agent/owners.yaml no default: do it in this session with `canonry run next {run}`\n",
            one_line(step)
        ),
        WorkflowRunEnd::SameFailure(reasons) => {
            let tried = reasons.iter().enumerate().map(|(at, reason)| format!("  {}. {}\n", at + 1, one_line(reason)));
            let tried: String = tried.collect();
            format!("; the same failure happened 3 times in a row, so a person is needed. What was tried:\n{tried}")
        }
        WorkflowRunEnd::WaitingUntil(until) => format!("; waiting until {until}: run this again then\n"),
        WorkflowRunEnd::Interrupted => "; stopped: run this again to continue\n".to_owned(),
    };
    format!("{run}: {} ended, {} started{end}", many(outcome.steps, "step"), many(outcome.attempts, "worker"))
}

/// End of the execution of a workflow, as one JSON document.
pub fn workflow_end_to_json(outcome: &RunWorkflowOutcome) -> String {
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
    let content = json!({
        "event": "end", "run": outcome.run, "status": end, "reason": reason, "question": question,
        "steps": outcome.steps, "attempts": outcome.attempts,
    });
    document(WORKFLOW_SCHEMA, content)
}

/// The end of a queue of tasks, as one JSON document.
pub fn no_tasks_to_json() -> String {
    document(WORKFLOW_SCHEMA, json!({"event": "queue_empty", "status": NO_TASKS}))
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
            many(*limit, "iteration"),
            one_line(reason)
        ),
    }
}

/// The journal of a run, a line per entry.
pub fn entries_to_text(entries: &[JournalEntry]) -> String {
    entries.iter().map(|entry| log_entry(entry) + "\n").collect()
}

/// The entries as they are in the journal, one JSON document per line.
pub fn entries_to_json(entries: &[JournalEntry]) -> String {
    entries.iter().map(|entry| serde_json::to_string(entry).expect("an entry has a JSON form") + "\n").collect()
}

/// The reported attempts at a plan, oldest first; those without a time come last.
fn by_time(report: &CombinedReport) -> Vec<&CombinedAttempt> {
    let mut attempts: Vec<&CombinedAttempt> = report.attempts.iter().collect();
    attempts.sort_by_key(|attempt| (attempt.timestamp.is_none(), attempt.timestamp));
    attempts
}

/// The error of an attempt that did not succeed, otherwise its details.
fn summary(attempt: &CombinedAttempt) -> &str {
    let is_success = attempt.outcome == Some(AttemptOutcome::Success);
    let error = attempt.error.as_deref().filter(|error| !is_success && !error.trim().is_empty());
    error.unwrap_or(&attempt.details)
}

/// A line per attempt: time, step, attempt, owner, outcome, and the first line of what was reported.
pub fn attempts_to_text(report: &CombinedReport) -> String {
    let line = |attempt: &CombinedAttempt| {
        let time = attempt.timestamp.map_or_else(|| "(no time)".to_owned(), time_text);
        let step = one_line(report.step_id(attempt)).into_owned();
        let by = attempt.owner.as_deref().map(|owner| format!(" by {}", one_line(owner))).unwrap_or_default();
        let cause = attempt.cause.map(|cause| format!(" ({})", cause.replace('_', " "))).unwrap_or_default();
        let outcome = attempt.outcome_word();
        format!("{time} {step}: attempt {}{by}, {outcome}{cause}: {}\n", attempt.number, first_line(summary(attempt)))
    };
    let text: String = by_time(report).into_iter().map(line).collect();
    if text.is_empty() { format!("{}: no attempt is reported\n", one_line(&report.plan)) } else { text }
}

/// One JSON document per attempt.
pub fn attempts_to_json(report: &CombinedReport) -> String {
    let line = |attempt: &CombinedAttempt| {
        let content = json!({
            "plan": report.plan, "step": report.step_id(attempt), "attempt": attempt.number,
            "time": attempt.timestamp.map(|time| time.to_string()), "owner": attempt.owner,
            "outcome": attempt.outcome.map(|_| attempt.outcome_word()), "cause": attempt.cause,
            "summary": summary(attempt).lines().next().unwrap_or_default(),
        });
        document("canonry/plan-log/v1", content)
    };
    by_time(report).into_iter().map(line).collect()
}
