//! The next step of a calling session.

use super::{question_to_text, step_limit_to_text};
use canonry_app::workflow::step::{NextTask, NextTaskOutcome};
use canonry_text::printable::one_line;
use serde_json::json;

/// Instruction for the answer, for stderr: stdout is the prompt alone.
pub fn remark(outcome: &NextTaskOutcome) -> String {
    let NextTask::Task { number, task, .. } = &outcome.next else { return String::new() };
    let run = one_line(&outcome.run);
    let task = one_line(task);
    format!("{run}: task {number}, {task}. Give the answer to `canonry workflow decide {run} --task {number}`.\n")
}

/// The prompt, or why there is none.
pub fn to_text(outcome: &NextTaskOutcome) -> String {
    let run = one_line(&outcome.run);
    match &outcome.next {
        NextTask::Task { prompt, .. } => prompt.clone(),
        NextTask::NeedsPerson(question) => question_to_text(&outcome.run, question),
        NextTask::StepLimit(limit) => format!("{run}: {}\n", step_limit_to_text(&outcome.run, *limit)),
        NextTask::Complete => format!("{run}: complete\n"),
        NextTask::Aborted(reason) => format!("{run}: aborted: {}\n", one_line(reason)),
    }
}

/// The same as a document.
pub fn to_json(outcome: &NextTaskOutcome) -> String {
    let mut document = match &outcome.next {
        NextTask::Task { number, step, task, owner, prompt } => json!({
            "status": "TASK", "task": number, "step": step, "name": task, "owner": owner, "prompt": prompt,
        }),
        NextTask::NeedsPerson(question) => json!({"status": "HUMAN_REQUIRED", "question": question}),
        NextTask::StepLimit(limit) => json!({"status": "LIMIT", "limit": limit}),
        NextTask::Complete => json!({"status": "WORKFLOW_COMPLETE"}),
        NextTask::Aborted(reason) => json!({"status": "ABORT", "reason": reason}),
    };
    if let Some(object) = document.as_object_mut() {
        object.insert("schema".to_owned(), json!("canonry/workflow-step/v1"));
        object.insert("run".to_owned(), json!(outcome.run));
    }
    format!("{document}\n")
}
