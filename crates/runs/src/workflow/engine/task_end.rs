//! The end of a task: whether the answer meets the contract of its step.

use super::super::event::{TaskEnd, TaskOutcome, TaskRole};
use super::super::output_contract::{check_output, find_output};
use canonry_model::canon::timestamp::Timestamp;
use canonry_model::canon::worker_usage::WorkerUsage;
use canonry_model::canon::workflow::{StepOutput, WorkflowStep};
use canonry_text::printable::tail;
use serde_json::Value;

/// The most bytes of an answer that the journal keeps. The decision is at the end.
const ANSWER: usize = 4_000;
/// The most bytes of an output.
const OUTPUT: usize = 256 << 10;

/// Report of a worker.
#[derive(Clone, Debug, Default)]
pub struct TaskReport<'a> {
    /// Its final message.
    pub answer: &'a str,
    /// The JSON in the file that it was asked to write.
    pub report: Option<Value>,
    /// Why it failed, if it did.
    pub error: Option<String>,
    /// When its tool accepts work again, if it reached a usage limit.
    pub limit: Option<Timestamp>,
    /// Whether the run stopped it.
    pub stopped: bool,
    pub seconds: f64,
    pub usage: WorkerUsage,
    /// The schema file that the step's output names.
    pub schema: Option<&'a Value>,
}

/// End of a task.
pub fn task_end(step: &WorkflowStep, role: TaskRole, report: TaskReport<'_>) -> TaskEnd {
    let mut end = TaskEnd {
        result: TaskOutcome::Done,
        output: None,
        answer: tail(report.answer.trim(), ANSWER).to_owned(),
        error: report.error,
        until: report.limit.map(|until| until.to_string()),
        seconds: report.seconds,
        usage: report.usage,
    };
    if report.stopped {
        end.result = TaskOutcome::Stopped;
        return end;
    }
    if report.limit.is_some() {
        end.result = TaskOutcome::Limit;
        return end;
    }
    let output = report.report.or_else(|| find_output(report.answer));
    let output = output.filter(|output| output.to_string().len() <= OUTPUT);
    if end.error.is_some() {
        end.result = TaskOutcome::Failed;
        return end;
    }
    if output.is_none() && report.answer.trim().is_empty() {
        end.result = TaskOutcome::Failed;
        end.error = Some("the worker gave no answer".to_owned());
        return end;
    }
    // A failure needs none of the declared fields. The thresholds decide about the answer of an evaluator.
    let is_failure = output.as_ref().and_then(|output| output.get("passed")) == Some(&Value::Bool(false));
    let contract = contract(step, role).filter(|_| !is_failure);
    let declares = |contract: &StepOutput| !contract.fields.is_empty() || report.schema.is_some();
    match (&output, contract.filter(|contract| declares(contract))) {
        (Some(value), Some(contract)) => {
            if let Err(violations) = check_output(value, &contract.fields, report.schema) {
                end.result = TaskOutcome::Failed;
                end.error = Some(format!("the output breaks its contract: {}", violations.join("; ")));
            }
        }
        (None, Some(contract)) => {
            let fields: Vec<&str> = contract.fields.iter().map(|field| field.name.text.as_str()).collect();
            end.result = TaskOutcome::Failed;
            end.error = Some(if fields.is_empty() {
                "the answer contains no JSON output".to_owned()
            } else {
                format!("the answer contains no JSON output with {}", fields.join(", "))
            });
        }
        (_, None) => {}
    }
    end.output = output;
    end
}

/// The contract that a task's output must meet. An evaluator's output is free: only its thresholds count.
pub fn contract(step: &WorkflowStep, role: TaskRole) -> Option<&StepOutput> {
    match role {
        TaskRole::Step | TaskRole::Candidate(_) | TaskRole::Generator => step.output.as_ref(),
        TaskRole::Child(at) => step.fan_out.children.get(at).and_then(|child| child.output.as_ref()),
        TaskRole::Evaluator => None,
    }
}
