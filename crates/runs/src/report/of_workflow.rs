//! The report of a run, from its journal.

use super::{ReportOutcome, ReportedAttempt, ReportedStatus, ReportedStep, RunReport, first_failure};
use crate::exec::RunKind;
use crate::workflow::event::{StepOutcome, TaskOutcome};
use crate::workflow::run_state::{EndedStep, RunState, TaskState};
use canonry_model::canon::report::AttemptOutcome;
use canonry_model::canon::worker_usage::WorkerUsage;
use std::collections::BTreeMap;

/// The texts of a task that are not in the journal.
#[derive(Clone, Debug, Default)]
pub struct TaskTexts {
    /// The step, or the part of it.
    pub name: String,
    /// The input.
    pub prompt: Option<String>,
    /// The whole answer.
    pub answer: Option<String>,
}

impl RunReport {
    /// The report of a run, without what its definition adds: the next question and the diagram. `reason` is its state in words, or
    /// why it was aborted.
    pub fn of_workflow(
        id: &str,
        state: &RunState,
        texts: &BTreeMap<u64, TaskTexts>,
        outcome: ReportOutcome,
        reason: String,
    ) -> Self {
        let start = &state.start;
        let mut steps = reported_steps(&state.ended_steps, texts);
        if let Some(current) = &state.current {
            let is_ended = state.is_ended();
            steps.push(ReportedStep {
                name: current.step.clone(),
                status: if is_ended { ReportedStatus::Pending } else { ReportedStatus::InProgress },
                visit: Some(current.visit),
                iteration: Some(state.iteration),
                started: current.started,
                ..with_attempts(&current.step, &current.tasks, texts)
            });
        }
        let version = start.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        Self {
            name: id.to_owned(),
            kind: RunKind::Workflow,
            title: None,
            goal: Some(start.task.clone()).filter(|task| !task.is_empty()),
            workflow: Some(format!("{}{version}", start.workflow)),
            outcome,
            reason: Some(reason),
            started: state.started,
            last: state.last_at,
            parameters: start.parameters.clone(),
            verification: None,
            question: state.question.clone(),
            diagram: None,
            first_failure: first_failure(&steps, |step| {
                let is_failed = step.status == ReportedStatus::Failed;
                is_failed && state.last_end(&step.name).is_none_or(|last| Some(last.visit) < step.visit)
            }),
            steps,
            decisions: state.answers.clone(),
            usage: state.usage,
        }
    }
}

/// The steps that ended, oldest first.
pub fn reported_steps(ended: &[EndedStep], texts: &BTreeMap<u64, TaskTexts>) -> Vec<ReportedStep> {
    ended.iter().map(|step| ended_step(step, texts)).collect()
}

fn ended_step(step: &EndedStep, texts: &BTreeMap<u64, TaskTexts>) -> ReportedStep {
    ReportedStep {
        name: step.step.clone(),
        status: match step.outcome {
            StepOutcome::Done => ReportedStatus::Complete,
            StepOutcome::Failed => ReportedStatus::Failed,
            StepOutcome::Rejected => ReportedStatus::Rejected,
            StepOutcome::Skipped => ReportedStatus::Skipped,
        },
        visit: Some(step.visit),
        iteration: Some(step.iteration),
        keywords: step.keywords.clone(),
        reason: step.reason.clone(),
        next: Some(step.next.clone()),
        output: step.output.clone(),
        started: step.started,
        ended: step.ended,
        seconds: step.seconds(),
        ..with_attempts(&step.step, &step.tasks, texts)
    }
}

fn with_attempts(name: &str, tasks: &[TaskState], texts: &BTreeMap<u64, TaskTexts>) -> ReportedStep {
    let owner = tasks.iter().rev().find_map(|task| task.owner.clone()).unwrap_or_default();
    let attempts: Vec<_> = tasks.iter().map(|task| attempt(name, task, texts.get(&task.number))).collect();
    let usage = attempts.iter().fold(WorkerUsage::default(), |sum, attempt| sum.plus(attempt.usage));
    ReportedStep { owner, usage, attempts, ..ReportedStep::default() }
}

fn attempt(step: &str, task: &TaskState, texts: Option<&TaskTexts>) -> ReportedAttempt {
    let end = task.end.as_ref();
    let result = match end.map(|end| end.result) {
        Some(TaskOutcome::Done) => (Some(AttemptOutcome::Success), None),
        Some(TaskOutcome::Failed) => (Some(AttemptOutcome::Failure), None),
        Some(TaskOutcome::Limit) => (Some(AttemptOutcome::Blocked), Some("usage_limit")),
        Some(TaskOutcome::Stopped) => (Some(AttemptOutcome::Failure), Some("interrupted")),
        None => (None, None),
    };
    let answer = texts.and_then(|texts| texts.answer.clone());
    ReportedAttempt {
        number: task.attempt,
        task: Some(task.number),
        part: texts.map(|texts| texts.name.clone()).filter(|name| name != step),
        outcome: result.0,
        cause: result.1,
        owner: task.owner.clone(),
        started: task.started,
        ended: task.ended,
        seconds: end.map(|end| end.seconds).filter(|seconds| *seconds > 0.0),
        details: answer.or_else(|| end.map(|end| end.answer.clone())).unwrap_or_default(),
        error: end.and_then(|end| end.error.clone()),
        output: end.and_then(|end| end.output.clone()),
        prompt: texts.and_then(|texts| texts.prompt.clone()),
        usage: end.map(|end| end.usage).unwrap_or_default(),
        ..ReportedAttempt::default()
    }
}
