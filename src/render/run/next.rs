//! The next step of a plan or a run, a claim on it, and the answer to it.

use super::{continue_line, end_to_text, names, one_line, question_to_text, reasons};
use crate::render::json;
use canonry_app::plan::StepStatus;
use canonry_app::plan::claim::{ClaimedStep, TakenClaim};
use canonry_app::plan::next::{NextStep, NextStepOutcome, ReadyStep};
use canonry_app::workflow::decide::{DecidedTask, LoopStatus};
use canonry_app::workflow::start::StartedWorkflow;
use canonry_app::workflow::step::{NextTask, NextTaskOutcome};
use canonry_runs::exec::{RunEnd, loop_word};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt::Write as _;

/// The document `canonry/plan-next/v1`.
pub fn to_json(outcome: &NextStepOutcome) -> String {
    let (state, step, waiting_for) = match &outcome.next {
        NextStep::Ready(step) => ("ready", Some(step), Vec::new()),
        NextStep::InProgress(steps) => ("in_progress", None, steps.iter().collect()),
        NextStep::NeedsPerson(steps) => ("blocked", None, steps.iter().map(|(step, _)| step).collect()),
        NextStep::Complete => ("complete", None, Vec::new()),
    };
    json::to_text(&json!({
        "schema": "canonry/plan-next/v1",
        "plan": outcome.plan,
        "path": outcome.path.to_display(),
        "state": state,
        "step": step.map(|step| json!({
            "id": step.id, "owner": step.owner, "description": step.description, "criteria": step.criteria,
            "commands": step.commands, "files": step.files,
            "report": step.report.as_ref().map(|path| path.to_display()),
            "claim": step.claim.as_ref().map(taken_to_json),
        })),
        "waiting_for": waiting_for,
    }))
}

/// A claim with everything that its holder needs to know.
fn taken_to_json(claim: &TakenClaim) -> Value {
    json!({
        "holder": claim.holder, "attempt": claim.attempt, "time": claim.time.to_string(),
        "until": claim.until.to_string(), "token": claim.token,
    })
}

/// The next step, or why no step is ready.
pub fn to_text(outcome: &NextStepOutcome) -> String {
    match &outcome.next {
        NextStep::Ready(step) => ready_to_text(step),
        NextStep::InProgress(steps) => format!("Nothing is ready; in progress: {}.\n", names(steps)),
        NextStep::NeedsPerson(steps) => format!("Nothing is ready; a person is needed:\n{}", reasons(steps)),
        NextStep::Complete => "The plan is complete.\n".to_owned(),
    }
}

fn ready_to_text(step: &ReadyStep) -> String {
    let mut text = format!("{}  {}\n", one_line(&step.id), one_line(&step.owner));
    for line in step.description.lines() {
        let _ = writeln!(text, "  {}", one_line(line));
    }
    for (title, items) in [("criteria", &step.criteria), ("commands", &step.commands), ("files", &step.files)] {
        if !items.is_empty() {
            let _ = writeln!(text, "{title}:");
        }
        for item in items {
            let _ = writeln!(text, "  - {}", one_line(item));
        }
    }
    if let Some(report) = &step.report {
        let _ = writeln!(text, "report: {report}");
    }
    if let Some(claim) = &step.claim {
        text.push_str(&taken(&step.id, claim));
    }
    text
}

/// The document `canonry/plan-claim/v1`.
pub fn claim_to_json(outcome: &ClaimedStep) -> String {
    json::to_text(&json!({
        "schema": "canonry/plan-claim/v1",
        "plan": outcome.plan,
        "step": outcome.step,
        "status": outcome.status.as_str(),
        "claim": taken_to_json(&outcome.claim),
        "report": outcome.report.as_ref().map(|path| path.to_display()),
    }))
}

/// The claim, and what to do next.
pub fn claim_to_text(outcome: &ClaimedStep) -> String {
    let plan = word(&outcome.plan);
    let step = word(&outcome.step);
    let mut text = taken(&outcome.step, &outcome.claim);
    if outcome.status != StepStatus::InProgress {
        let _ = writeln!(text, "start: canonry run set {plan} {step} in_progress");
    }
    if let Some(report) = &outcome.report {
        let _ = writeln!(text, "report: {report}");
    }
    let _ = writeln!(text, "finish: canonry run finish {plan} {step} --claim {}", outcome.claim.token);
    let _ = writeln!(text, "release: canonry run release {plan} {step} --token {}", outcome.claim.token);
    text
}

/// Who claimed a step, and the token.
fn taken(step: &str, claim: &TakenClaim) -> String {
    let TakenClaim { holder, attempt, until, token, .. } = claim;
    let step = one_line(step);
    let holder = one_line(holder);
    format!("claimed {step} for {holder} (attempt {attempt}) until {until}\ntoken: {token}\n")
}

/// A word of a command line that can be copied into a shell.
fn word(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@%+=,".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{}'", one_line(text).replace('\'', "'\\''")))
}

/// A started run, and what to do next; or that no task is left.
pub fn start_to_text(outcome: &Option<StartedWorkflow>) -> String {
    let Some(outcome) = outcome else { return format!("{}\n", loop_word::NO_TASKS) };
    format!("{}{}", started_line(outcome), continue_line(&outcome.run))
}

/// A started run with its first step.
pub fn started_line(outcome: &StartedWorkflow) -> String {
    let task = outcome.task_id.as_ref().map(|id| format!(" with task {}", one_line(id))).unwrap_or_default();
    format!("{}: started{task}; the first step is {}\n", one_line(&outcome.run), one_line(&outcome.first))
}

/// The document `canonry/workflow-start/v1`.
pub fn start_to_json(outcome: &Option<StartedWorkflow>) -> String {
    let schema = "canonry/workflow-start/v1";
    let Some(outcome) = outcome else { return line(json!({"schema": schema, "status": loop_word::NO_TASKS})) };
    let folder = outcome.folder.to_string_lossy();
    let mut document = json!({"schema": schema, "run": outcome.run, "folder": folder, "first": outcome.first});
    if let Some(id) = &outcome.task_id {
        document["task_id"] = json!(id);
    }
    line(document)
}

/// Instruction for the answer, for stderr: stdout is the prompt alone.
pub fn task_remark(outcome: &NextTaskOutcome) -> String {
    let NextTask::Task { number, task, .. } = &outcome.next else { return String::new() };
    let run = one_line(&outcome.run);
    let task = one_line(task);
    format!("{run}: task {number}, {task}. Give the answer to `canonry run finish {run} --task {number}`.\n")
}

/// The prompt, or why there is none.
pub fn task_to_text(outcome: &NextTaskOutcome) -> String {
    let run = one_line(&outcome.run);
    match &outcome.next {
        NextTask::Task { prompt, .. } => prompt.clone(),
        NextTask::End(RunEnd::Asks(question)) => question_to_text(&outcome.run, question),
        NextTask::End(end) => format!("{run}: {}\n", end_to_text(&outcome.run, end)),
    }
}

/// The document `canonry/workflow-step/v1`.
pub fn task_to_json(outcome: &NextTaskOutcome) -> String {
    let mut document = match &outcome.next {
        NextTask::Task { number, step, task, owner, prompt } => json!({
            "status": "TASK", "task": number, "step": step, "name": task, "owner": owner, "prompt": prompt,
        }),
        NextTask::End(end) => json!({"status": end.words().1, "reason": end.reason(), "question": end.question()}),
    };
    document["schema"] = json!("canonry/workflow-step/v1");
    document["run"] = json!(outcome.run);
    line(document)
}

/// The status word on the first line, then what it means.
pub fn decided_to_text(outcome: &DecidedTask) -> String {
    let mut text = format!("{}\n", outcome.status.word());
    if let Some(next) = &outcome.next {
        let _ = writeln!(text, "next: {}", one_line(next));
    }
    if let Some(reason) = &outcome.reason {
        let _ = writeln!(text, "reason: {}", one_line(reason));
    }
    if let LoopStatus::End(RunEnd::Asks(question)) = &outcome.status {
        text.push_str(&question_to_text(&outcome.run, question));
    }
    text
}

/// The document `canonry/workflow-decide/v1`.
pub fn decided_to_json(outcome: &DecidedTask) -> String {
    let question = match &outcome.status {
        LoopStatus::End(end) => end.question(),
        LoopStatus::Continue | LoopStatus::StepComplete => None,
    };
    line(json!({
        "schema": "canonry/workflow-decide/v1", "run": outcome.run, "status": outcome.status.word(),
        "step": outcome.step, "next": outcome.next, "reason": outcome.reason, "question": question,
    }))
}

fn line(document: Value) -> String {
    format!("{document}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(word("step-1.2"), "step-1.2");
        assert_eq!(word("it's $HOME"), "'it'\\''s $HOME'");
        assert_eq!(word(""), "''");
    }
}
