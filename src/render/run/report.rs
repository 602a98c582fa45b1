//! Reports: those of plans for a terminal, those of runs for a terminal, as Markdown and as JSON.

use super::status::{detail, phase_word, run_to_json};
use super::{MARKER, cost_text, names, one_line, outcome_word};
use crate::render::{counted, json, seconds_text, time_text};
use canonry_app::plan::StepStatus;
use canonry_app::plan::report::PlanReport;
use canonry_app::workflow::report::{PersonAnswer, RunReport, TaskOutcome, TaskState};
use canonry_runs::workflow::log_line::destination;
use canonry_text::markup::{markdown_code, markdown_text};
use canonry_text::printable::tail;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Bytes of an answer in the Markdown report.
const ANSWER: usize = 400;

/// The outcome, the first failure, and what is not complete.
pub fn plan_to_text(outcome: &PlanReport) -> String {
    let report = &outcome.report;
    let mut text = format!(
        "{}: {}; {} of {} complete, {}\n",
        one_line(&report.plan),
        report.outcome.as_str(),
        report.count(StepStatus::Complete),
        counted(report.steps.len(), "step"),
        counted(report.attempts.len(), "attempt"),
    );
    let _ = match (&report.verification.path, &report.verification.problem) {
        (None, _) => writeln!(text, "verification: none"),
        (Some(path), None) => writeln!(text, "verification: holds ({})", one_line(path)),
        (Some(path), Some(problem)) => writeln!(text, "verification: {} ({})", one_line(problem), one_line(path)),
    };
    if let Some(attempt) = report.first_failure.and_then(|at| report.attempts.get(at)) {
        let step = one_line(report.step_id(attempt)).into_owned();
        let failed = attempt.commands.iter().find(|run| run.exit_status != 0);
        let why = match (&attempt.error, failed) {
            (Some(error), _) => format!(": {}", one_line(error.lines().next().unwrap_or_default())),
            (None, Some(run)) => format!(": `{}` exited with {}", one_line(&run.command), run.exit_status),
            (None, None) => String::new(),
        };
        let _ = writeln!(text, "first failure: {step}, attempt {} ({}){why}", attempt.number, attempt.outcome_word());
    }
    let open = report.steps.iter().filter(|step| step.status != StepStatus::Complete);
    let open: Vec<String> = open.map(|step| step.id.clone()).collect();
    if !open.is_empty() {
        let _ = writeln!(text, "not complete: {}", names(&open));
    }
    text + &written(outcome)
}

/// The files that were written, and the page that was kept.
pub fn written(outcome: &PlanReport) -> String {
    let mut text = String::new();
    for path in &outcome.written {
        let _ = writeln!(text, "wrote     {path}");
    }
    if let Some(path) = &outcome.kept {
        let _ = writeln!(text, "kept      {path}, which a person wrote");
    }
    text
}

/// Where the run is, and what people decided.
pub fn run_to_text(report: &RunReport) -> String {
    let mut text = detail(&report.status);
    if !report.answers.is_empty() {
        let _ = writeln!(text, "{} by people:", counted(report.answers.len(), "decision"));
    }
    for answer in &report.answers {
        let at = answer.at.map(|at| format!(" at {}", time_text(at))).unwrap_or_default();
        let why = answer.why.as_ref().map(|why| format!(": {}", one_line(why))).unwrap_or_default();
        let name = one_line(&answer.name);
        let option = one_line(&answer.option);
        let by = one_line(&answer.by);
        let _ = writeln!(text, "  {name}: {by} decided `{option}`{at}{why}");
    }
    text
}

/// Word for the result of a task.
pub(super) fn task_word(task: &TaskState) -> &'static str {
    match task.end.as_ref().map(|end| end.result) {
        Some(TaskOutcome::Done) => "done",
        Some(TaskOutcome::Failed) => "failed",
        Some(TaskOutcome::Limit) => "usage limit",
        Some(TaskOutcome::Stopped) => "stopped",
        None => "running",
    }
}

/// A Markdown page.
pub fn run_to_markdown(report: &RunReport) -> String {
    let run = &report.status;
    let mut text = format!("# Run: {}\n\n{MARKER}\n\n", markdown_text(&run.run));
    let version = run.version.as_ref().map(|version| format!(" {}", markdown_text(version))).unwrap_or_default();
    let _ = writeln!(
        text,
        "Workflow {}{version}: **{}**, {} ended{}.\n",
        markdown_code(&run.workflow),
        phase_word(&run.phase).replace('_', " "),
        counted(run.ended.len(), "step"),
        cost_text(&run.usage).map(|cost| format!(", {cost}")).unwrap_or_default(),
    );
    if !run.task.is_empty() {
        let _ = writeln!(text, "Task: {}\n", markdown_text(&run.task));
    }
    if let Some(question) = &run.question {
        let _ = writeln!(
            text,
            "{} waits for a person: {}\n",
            markdown_code(&question.name),
            markdown_text(&question.message)
        );
    }
    text.push_str(
        "## Steps\n\n| step | visit | result | attempts | time | next | reason |\n|---|---|---|---|---|---|---|\n",
    );
    for step in &run.ended {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            markdown_code(&step.step),
            step.visit,
            outcome_word(step.outcome),
            step.attempts,
            step.seconds().map(seconds_text).unwrap_or_default(),
            markdown_text(&destination(&step.next)),
            step.reason.as_deref().map(markdown_text).unwrap_or_default(),
        );
    }
    if !report.answers.is_empty() {
        text.push_str("\n## Decisions\n\n| question | option | by | time | reason |\n|---|---|---|---|---|\n");
    }
    for answer in &report.answers {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            markdown_code(&answer.name),
            markdown_code(&answer.option),
            markdown_text(&answer.by),
            answer.at.map(time_text).unwrap_or_default(),
            answer.why.as_deref().map(markdown_text).unwrap_or_default(),
        );
    }
    text.push_str("\n## Answers\n\n");
    for (step, task) in report.tasks() {
        let Some(end) = &task.end else { continue };
        let answer = tail(end.error.as_deref().unwrap_or(end.answer.trim()), ANSWER);
        let name = report.task_name(task.number);
        let part = if name == step { String::new() } else { format!(", {}", markdown_code(name)) };
        let _ = writeln!(
            text,
            "- task {}, {}{part} ({}): {}",
            task.number,
            markdown_code(step),
            task_word(task),
            markdown_text(answer)
        );
    }
    text
}

/// The document `canonry/workflow-report/v1`.
pub fn run_report_to_json(report: &RunReport) -> String {
    let mut document = run_to_json(&report.status);
    if let Some(object) = document.as_object_mut() {
        object.insert("schema".to_owned(), "canonry/workflow-report/v1".into());
        object.insert("parameters".to_owned(), json!(report.parameters));
        object.insert("decisions".to_owned(), report.answers.iter().map(answer_to_json).collect());
        object.insert(
            "results".to_owned(),
            report.tasks().map(|(step, task)| task_to_json(report, step, task)).collect(),
        );
    }
    json::to_text(&document)
}

fn answer_to_json(answer: &PersonAnswer) -> Value {
    json!({
        "name": answer.name, "kind": answer.kind, "visit": answer.visit, "option": answer.option, "by": answer.by,
        "why": answer.why, "at": answer.at.map(|at| at.to_string()),
    })
}

fn task_to_json(report: &RunReport, step: &str, task: &TaskState) -> Value {
    let end = task.end.as_ref();
    let texts = report.texts.get(&task.number);
    json!({
        "task": task.number, "step": step, "name": report.task_name(task.number), "attempt": task.attempt,
        "owner": task.owner, "started": task.started.map(|time| time.to_string()),
        "result": end.map(|end| end.result), "seconds": end.map(|end| end.seconds),
        "error": end.and_then(|end| end.error.as_ref()), "output": end.and_then(|end| end.output.as_ref()),
        "usage": end.map(|end| end.usage), "prompt": texts.and_then(|texts| texts.prompt.as_ref()),
        "answer": texts.and_then(|texts| texts.answer.as_ref()).or(end.map(|end| &end.answer)),
    })
}
