//! Events while a plan or a workflow is executed, how it ended, and its log.

use super::{end_to_text, first_line, indented, many, one_line, reasons_to_json};
use crate::render::workers::budget_to_text;
use crate::render::{counted, time_text};
use canonry_app::workflow::log::JournalEntry;
use canonry_runs::exec::{AttemptEnd, ExecEvent, RunEnd, RunKind, RunOutcome, loop_word};
use canonry_runs::report::{ReportedAttempt, ReportedStep, RunReport};
use canonry_runs::workflow::log_line::log_entry;
use serde_json::{Value, json};

/// The version of the events.
const SCHEMA: &str = "canonry/run-event/v1";

/// One JSON document, which names its schema first.
fn document(schema: &str, mut content: Value) -> String {
    let mut whole = serde_json::Map::from_iter([("schema".to_owned(), json!(schema))]);
    if let Some(object) = content.as_object_mut() {
        whole.append(object);
    }
    format!("{}\n", Value::Object(whole))
}

/// An event on one line.
pub fn event_to_text(event: &ExecEvent) -> String {
    match event {
        ExecEvent::Budget { run, budget, open, log, .. } => {
            let open = open.map(|open| format!("{} to do; ", counted(open, "step"))).unwrap_or_default();
            let log = log.as_ref().map(|log| format!("; follow it with `tail -f {}`", log.display()));
            format!("{}: {open}{}{}\n", one_line(run), budget_to_text(budget), log.unwrap_or_default())
        }
        ExecEvent::Journal(entry) => {
            let line = log_entry(entry);
            // The log has the time; a person who watches has a clock.
            format!("{}\n", line.split_once(' ').map_or(line.as_str(), |(_, text)| text))
        }
        ExecEvent::Recovered { step, attempt } => {
            format!("{}: found attempt {attempt} of an earlier run\n", one_line(step))
        }
        ExecEvent::Started { step, attempt, owner, log } => {
            let step = one_line(step);
            let owner = one_line(owner);
            format!("{step}: attempt {attempt} started by {owner}; follow it with `tail -f {}`\n", log.display())
        }
        ExecEvent::Ended { step, attempt, end } => {
            format!("{}: attempt {attempt} {}\n", one_line(step), attempt_end_to_text(end))
        }
        ExecEvent::Kept { branch, folder, reason } => {
            let branch = one_line(branch);
            let folder = folder.display();
            let remove = format!("git worktree remove '{folder}' && git branch -D '{branch}'");
            format!("kept {branch} in {folder}: {}; `{remove}` removes it\n", one_line(reason))
        }
        ExecEvent::Notice(message) => format!("note: {}\n", indented(message)),
    }
}

fn attempt_end_to_text(end: &AttemptEnd) -> String {
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
        AttemptEnd::Unfinished { reason, .. } => format!("is not complete yet: {}", first_line(reason)),
    }
}

/// An event as one JSON document.
pub fn event_to_json(event: &ExecEvent) -> String {
    let content = match event {
        ExecEvent::Budget { run, kind, budget, open, log } => json!({
            "event": "budget", "run": run, "kind": kind, "open": open, "log": log.as_ref().map(|log| log.to_string_lossy()),
            "workers": budget.workers, "minutes": budget.minutes, "attempts": budget.attempts, "tokens": budget.tokens,
        }),
        ExecEvent::Journal(entry) => serde_json::to_value(entry).expect("an entry has a JSON form"),
        ExecEvent::Recovered { step, attempt } => json!({"event": "recovered", "step": step, "attempt": attempt}),
        ExecEvent::Started { step, attempt, owner, log } => json!({
            "event": "started", "step": step, "attempt": attempt, "owner": owner, "log": log.to_string_lossy(),
        }),
        ExecEvent::Ended { step, attempt, end } => {
            let (outcome, error, until, commit) = match end {
                AttemptEnd::Complete { commit, .. } => ("complete", None, None, commit.clone()),
                AttemptEnd::Retry(error) => ("failed", Some(error), None, None),
                AttemptEnd::Blocked(error) => ("blocked", Some(error), None, None),
                AttemptEnd::Proposed(state) => ("pull_request", Some(state), None, None),
                AttemptEnd::Replaced(reason) => ("usage_limit", Some(reason), None, None),
                AttemptEnd::WaitingUntil(until) => ("usage_limit", None, Some(until.to_string()), None),
                AttemptEnd::Interrupted => ("interrupted", None, None, None),
                AttemptEnd::Fenced => ("fenced", None, None, None),
                AttemptEnd::Unfinished { reason, .. } => ("unfinished", Some(reason), None, None),
            };
            json!({
                "event": "ended", "step": step, "attempt": attempt, "outcome": outcome, "error": error,
                "waiting_until": until, "commit": commit,
            })
        }
        ExecEvent::Kept { branch, folder, reason } => {
            json!({"event": "kept", "branch": branch, "folder": folder.to_string_lossy(), "reason": reason})
        }
        ExecEvent::Notice(message) => json!({"event": "notice", "message": message}),
    };
    document(SCHEMA, content)
}

/// End of an execution, and the next command.
pub fn outcome_to_text(outcome: &RunOutcome) -> String {
    let end = match &outcome.end {
        RunEnd::Complete if outcome.kind == RunKind::Plan => String::new(),
        RunEnd::Asks(_) => format!("\n{}", end_to_text(&outcome.run, &outcome.end)),
        end => format!("; {}", end_to_text(&outcome.run, end)),
    };
    let attempts = many(outcome.attempts, "attempt");
    format!("{}: {}, {attempts} in this run{end}\n", one_line(&outcome.run), outcome.progress())
}

/// End of an execution, as one JSON document.
pub fn outcome_to_json(outcome: &RunOutcome) -> String {
    let RunOutcome { run, kind, end, attempts, complete, steps } = outcome;
    let (word, status) = end.words();
    let content = json!({
        "event": "end", "run": run, "kind": kind, "outcome": word, "status": status, "reason": end.reason(),
        "question": end.question(), "steps": reasons_to_json(end.steps()), "complete": complete, "total": steps,
        "attempts": attempts,
    });
    document(SCHEMA, content)
}

/// The end of a queue of tasks, as one JSON document.
pub fn no_tasks_to_json() -> String {
    document(SCHEMA, json!({"event": "queue_empty", "status": loop_word::NO_TASKS}))
}

/// The journal of a run, a line per entry.
pub fn entries_to_text(entries: &[JournalEntry]) -> String {
    entries.iter().map(|entry| log_entry(entry) + "\n").collect()
}

/// The entries as they are in the journal, one JSON document per line.
pub fn entries_to_json(entries: &[JournalEntry]) -> String {
    entries.iter().map(|entry| serde_json::to_string(entry).expect("an entry has a JSON form") + "\n").collect()
}

/// A reported attempt with its step.
pub type StepAndAttempt<'r> = (&'r ReportedStep, &'r ReportedAttempt);

/// The reported attempts, oldest first; those without a time come last.
pub fn by_time(report: &RunReport) -> Vec<StepAndAttempt<'_>> {
    let mut attempts: Vec<_> = report.attempts().collect();
    attempts.sort_by_key(|(_, attempt)| (attempt.ended.is_none(), attempt.ended));
    attempts
}

/// A line per attempt: time, step, attempt, owner, outcome, and the first line of what was reported.
pub fn attempts_to_text(attempts: &[StepAndAttempt<'_>]) -> String {
    let line = |(step, attempt): &StepAndAttempt<'_>| {
        let time = attempt.ended.map_or_else(|| "(no time)".to_owned(), time_text);
        let step = one_line(&step.name);
        let by = attempt.owner.as_deref().map(|owner| format!(" by {}", one_line(owner))).unwrap_or_default();
        let outcome = attempt.outcome_text();
        format!("{time} {step}: attempt {}{by}, {outcome}: {}\n", attempt.number, first_line(attempt.summary()))
    };
    attempts.iter().map(line).collect()
}

/// One JSON document per attempt at a plan.
pub fn attempts_to_json(plan: &str, attempts: &[StepAndAttempt<'_>]) -> String {
    let line = |(step, attempt): &StepAndAttempt<'_>| {
        let content = json!({
            "plan": plan, "step": step.name, "attempt": attempt.number,
            "time": attempt.ended.map(|time| time.to_string()), "owner": attempt.owner,
            "outcome": attempt.outcome.map(|_| attempt.outcome_word()), "cause": attempt.cause,
            "summary": attempt.summary().lines().next().unwrap_or_default(),
        });
        document("canonry/plan-log/v1", content)
    };
    attempts.iter().map(line).collect()
}
