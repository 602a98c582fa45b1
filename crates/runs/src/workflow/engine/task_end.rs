//! The end of a task: whether the answer meets the contract of its step.

use super::super::decision::decides_by_fields;
use super::super::event::{TaskEnd, TaskOutcome, TaskRole};
use super::super::output_contract::{check_output, find_output};
use canonry_model::canon::worker_usage::WorkerUsage;
use canonry_model::canon::workflow::{StepOutput, WorkflowStep};
use canonry_text::printable::tail;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most bytes of an answer that the journal keeps. The decision is at the end.
const ANSWER: usize = 4_000;
/// The most bytes of an output.
const OUTPUT: usize = 256 << 10;

/// The answer of a worker or of a session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TaskReport {
    /// Its final message.
    pub answer: String,
    /// The JSON in the file that it was asked to write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Value>,
    /// Why it failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default)]
    pub seconds: f64,
    #[serde(default)]
    pub usage: WorkerUsage,
}

/// End of a task, with the schema file that the output of its step names.
pub fn task_end(step: &WorkflowStep, role: TaskRole, report: &TaskReport, schema: Option<&Value>) -> TaskEnd {
    let output = report.report.clone().or_else(|| find_output(&report.answer));
    let output = output.filter(|output| output.to_string().len() <= OUTPUT);
    let end = TaskEnd {
        result: TaskOutcome::Done,
        output: None,
        answer: tail(report.answer.trim(), ANSWER).to_owned(),
        error: report.error.clone(),
        until: None,
        seconds: report.seconds,
        usage: report.usage,
    };
    if end.error.is_some() {
        return TaskEnd { result: TaskOutcome::Failed, ..end };
    }
    if output.is_none() && report.answer.trim().is_empty() {
        return end.failed("the worker gave no answer".to_owned());
    }
    // A failure needs none of the declared fields. The thresholds decide about the answer of an evaluator.
    let is_failure = output.as_ref().and_then(|output| output.get("passed")) == Some(&Value::Bool(false));
    let contract = contract(step, role).filter(|_| !is_failure);
    let declares = |contract: &&StepOutput| !contract.fields.is_empty() || schema.is_some();
    let problem = match (&output, contract.filter(declares)) {
        (Some(value), Some(contract)) => {
            let violations = check_output(value, &contract.fields, schema).err();
            violations.map(|violations| format!("the output breaks its contract: {}", violations.join("; ")))
        }
        (None, Some(contract)) => {
            let fields: Vec<&str> = contract.fields.iter().map(|field| field.name.text.as_str()).collect();
            let named = if fields.is_empty() { String::new() } else { format!(" with {}", fields.join(", ")) };
            Some(format!("the answer contains no JSON output{named}"))
        }
        (_, None) => None,
    };
    let end = TaskEnd { output, ..end };
    match problem {
        Some(problem) => end.failed(problem),
        None => end,
    }
}

/// Whether the report of a worker that did not end by itself is its whole result: the contract of the step accepts it, and no
/// word of an answer decides where the run goes.
pub fn is_whole(step: &WorkflowStep, role: TaskRole, report: &TaskReport, schema: Option<&Value>) -> bool {
    let Some(output) = &report.report else { return false };
    let declares = contract(step, role).is_some_and(|contract| !contract.fields.is_empty() || schema.is_some());
    declares && decides_by_fields(step, output) && task_end(step, role, report, schema).result == TaskOutcome::Done
}

/// The contract that a task's output must meet. An evaluator's output is free: only its thresholds count.
pub fn contract(step: &WorkflowStep, role: TaskRole) -> Option<&StepOutput> {
    match role {
        TaskRole::Step | TaskRole::Candidate(_) | TaskRole::Generator => step.output.as_ref(),
        TaskRole::Child(at) => step.fan_out.children.get(at).and_then(|child| child.output.as_ref()),
        TaskRole::Evaluator => None,
    }
}
