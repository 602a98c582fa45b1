//! The report of a plan or a run as one HTML page.

use super::graph::{DrawnStep, from_diagram, from_steps};
use super::{GENERATOR, deadline_text};
use crate::render::drawing::svg::{SvgPlace, to_svg};
use crate::render::page::{HtmlPage, joined, text};
use crate::render::time_text;
use crate::render::timeline::{TimelineMark, TimelineRow, draw};
use canonry_app::Timestamp;
use canonry_app::plan::StepStatus;
use canonry_app::workflow::Question;
use canonry_runs::exec::RunKind;
use canonry_runs::numbers::{seconds_text, usage_text};
use canonry_runs::plan::CommandResult;
use canonry_runs::report::{
    ReportOutcome, ReportedAttempt, ReportedStatus, ReportedStep, ReportedVerification, RunReport,
};
use canonry_runs::workflow::log_line::destination;
use serde_json::Value;

/// Digits of a commit id.
const COMMIT_DIGITS: usize = 10;

/// The page.
pub fn page(report: &RunReport) -> String {
    let title = report.title.as_deref().unwrap_or(&report.name);
    let mut page = HtmlPage::new(&format!("Report: {title}"), GENERATOR);
    let outcome = report.outcome.as_str();
    let kind = match report.kind {
        RunKind::Plan => "Plan",
        RunKind::Workflow => "Run",
    };
    let parts = [
        report.workflow.as_ref().map(|workflow| format!("workflow {workflow}")),
        Some(report.progress()),
        report.started.map(|started| format!("started {}", time_text(started))),
        report.last.map(|last| format!("last event {}", time_text(last))),
        usage_text(&report.usage),
    ];
    let facts = format!("{kind} <code>{}</code> · {}", text(&report.name), joined(parts));
    page.heading(1, title, (outcome, outcome), &facts);
    page.paragraph(report.goal.as_deref().unwrap_or_default());
    for (name, value) in &report.parameters {
        page.line(format_args!("<p class=\"quiet\"><code>{}</code> = <code>{}</code></p>", text(name), text(value)));
    }
    if report.outcome == ReportOutcome::Failure && report.reason.is_some() {
        page.section("failed", |page| page.block("", report.reason.as_deref().unwrap_or_default()));
    } else {
        page.paragraph(report.reason.as_deref().unwrap_or_default());
    }
    verification(report, &mut page);
    if let Some(question) = &report.question {
        page.section("asks", |page| question_section(report, question, page));
    }
    if let Some((step, attempt)) = report.failed_attempt() {
        page.section("failed", |page| {
            let name = text(&step.name);
            let number = attempt.number;
            let facts = attempt_facts(attempt);
            page.line(format_args!("<h2>First failure: {name}, attempt {number}</h2>\n<p class=\"quiet\">{facts}</p>"));
            texts(attempt, page);
        });
    }
    graph(report, &mut page);
    draw("Attempts over time", &rows(report), &mut page);
    decisions(report, &mut page);
    page.line(format_args!("<h2>Steps</h2>"));
    for step in &report.steps {
        page.section("step", |page| step_section(step, page));
    }
    page.finish()
}

fn verification(report: &RunReport, page: &mut HtmlPage) {
    let is_complete = report.complete() == report.steps.len();
    let (class, word, code) = match &report.verification {
        None if report.kind == RunKind::Workflow => return,
        None if is_complete => ("pending", "none yet; run", format!("canonry run verify {}", report.name)),
        None => ("pending", "none yet", String::new()),
        Some(ReportedVerification { path, problem: None }) => ("success", "holds", path.clone()),
        Some(ReportedVerification { path, problem: Some(problem) }) => ("failure", problem.as_str(), path.clone()),
    };
    let code = text(&code);
    page.line(format_args!("<p>Verification: <span class=\"{class}\">{}</span> <code>{code}</code></p>", text(word)));
}

fn question_section(report: &RunReport, question: &Question, page: &mut HtmlPage) {
    page.line(format_args!("<h2>{} waits for a person</h2>", text(&question.name)));
    page.block("", &question.message);
    if let Some(deadline) = &question.deadline {
        page.line(format_args!("<p>Until {}</p>", text(&deadline_text(deadline))));
    }
    page.line(format_args!("<p><code>{}</code></p>", text(&question.answer_command(&report.name))));
}

/// The steps of a plan in their order, or the path of a run.
fn graph(report: &RunReport, page: &mut HtmlPage) {
    match (&report.diagram, report.kind) {
        (Some(diagram), _) => {
            page.drawing("Path", &to_svg(&from_diagram(&report.name, diagram), SvgPlace::Page));
        }
        (None, RunKind::Workflow) => {}
        (None, RunKind::Plan) => {
            let failed = report.first_failure.map(|(step, _)| step);
            let steps = report.steps.iter().enumerate().map(|(at, step)| DrawnStep {
                id: &step.name,
                owner: &step.owner,
                status: match step.status {
                    ReportedStatus::InProgress => StepStatus::InProgress,
                    ReportedStatus::Complete => StepStatus::Complete,
                    ReportedStatus::Blocked => StepStatus::Blocked,
                    _ => StepStatus::Pending,
                },
                deps: &step.deps,
                is_marked: Some(at) == failed,
            });
            let mut drawing = from_steps(steps);
            drawing.title = "Steps".into();
            page.drawing("Steps and their order", &to_svg(&drawing, SvgPlace::Page));
        }
    }
}

/// The attempts as bars, or as marks if only their end is known: a row per step and part, in the order of their first beginning.
fn rows(report: &RunReport) -> Vec<TimelineRow> {
    let mut rows: Vec<TimelineRow> = Vec::new();
    for (step, attempt) in report.attempts() {
        let Some(mark) = mark(attempt, report.last) else { continue };
        let part = attempt.part.as_ref().map(|part| format!(": {part}")).unwrap_or_default();
        let label = format!("{}{part}", step.name);
        match rows.iter_mut().find(|row| row.label == label) {
            Some(row) => row.marks.push(mark),
            None => rows.push(TimelineRow { label, marks: vec![mark] }),
        }
    }
    rows
}

fn mark(attempt: &ReportedAttempt, last: Option<Timestamp>) -> Option<TimelineMark> {
    let start = attempt.started.or(attempt.ended)?;
    // A task that runs ends, for now, with the last event.
    let end = attempt.started.map(|start| attempt.ended.or(last).map_or(start, |end| end.max(start)));
    let seconds = attempt.seconds.map(|seconds| format!(", {}", seconds_text(seconds))).unwrap_or_default();
    let word = attempt.outcome_word();
    let title = format!("attempt {}: {word}, {}{seconds}", attempt.number, time_text(start));
    Some(TimelineMark { class: class(attempt), start, end, title })
}

/// The class of an attempt's outcome in the style sheet.
fn class(attempt: &ReportedAttempt) -> &'static str {
    match attempt.outcome_word() {
        "invalid report" => "invalid",
        "running" => "working",
        word => word,
    }
}

/// The class of a step's status in the style sheet.
fn status_class(status: ReportedStatus) -> &'static str {
    match status {
        ReportedStatus::Failed => "failure",
        ReportedStatus::Skipped => "pending",
        status => status.as_str(),
    }
}

fn decisions(report: &RunReport, page: &mut HtmlPage) {
    if report.decisions.is_empty() {
        return;
    }
    page.line(format_args!("<h2>Decisions</h2>"));
    let rows = report.decisions.iter().map(|decision| {
        format!(
            "<td>{}</td><td><code>{}</code></td><td>{}</td><td class=\"nowrap\">{}</td><td>{}</td>",
            text(&decision.name),
            text(&decision.option),
            text(&decision.by),
            decision.at.map(time_text).unwrap_or_default(),
            text(decision.why.as_deref().unwrap_or_default()),
        )
    });
    page.table(&["question", "option", "by", "time", "reason"], rows);
}

fn step_section(step: &ReportedStep, page: &mut HtmlPage) {
    let number = |number: Option<u64>, noun: &str| Some(format!("{noun} {}", number.filter(|number| *number > 1)?));
    let parts = [
        Some(step.owner.clone()).filter(|owner| !owner.is_empty()),
        number(step.iteration, "iteration"),
        number(step.visit, "visit"),
        step.started.map(time_text),
        step.seconds.map(seconds_text),
        usage_text(&step.usage),
    ];
    page.heading(3, &step.name, (status_class(step.status), step.status.as_str()), &joined(parts));
    page.paragraph(&step.description);
    page.list(step.criteria.iter().map(|criterion| text(criterion)));
    if let Some(next) = &step.next {
        let keywords = Some(step.keywords.join(" ")).filter(|keywords| !keywords.is_empty());
        let keywords = keywords.map(|keywords| format!("<code>{}</code> ", text(&keywords))).unwrap_or_default();
        page.line(format_args!("<p>Decision: {keywords}→ {}</p>", text(&destination(next))));
    }
    page.block(status_class(step.status), step.reason.as_deref().unwrap_or_default());
    let is_done = step.status == ReportedStatus::Complete;
    if let Some(output) = &step.output {
        page.fold(!is_done, "Output", |page| page.block("", &pretty(output)));
    }
    for attempt in &step.attempts {
        // A failure that a later attempt made good is folded.
        let is_open = !is_done && !matches!(attempt.outcome_word(), "success" | "running");
        let part = attempt.part.as_ref().map(|part| format!(", {part}")).unwrap_or_default();
        let name = format!("Attempt {}{part}", attempt.number);
        let result = (class(attempt), attempt.outcome_word());
        page.attempt(is_open, &name, result, &attempt_facts(attempt), |page| attempt_section(attempt, page));
    }
}

/// Task, time, cause, owner, duration, cost and commit.
fn attempt_facts(attempt: &ReportedAttempt) -> String {
    let commit = attempt.commit.as_deref().map(|id| format!("commit {}", id.get(..COMMIT_DIGITS).unwrap_or(id)));
    let session = attempt.task.map(|_| "calling session".to_owned());
    joined([
        attempt.task.map(|task| format!("task {task}")),
        attempt.ended.map(time_text),
        attempt.cause.map(|cause| cause.replace('_', " ")),
        attempt.owner.clone().or(session),
        attempt.seconds.map(seconds_text),
        usage_text(&attempt.usage),
        commit,
    ])
}

fn attempt_section(attempt: &ReportedAttempt, page: &mut HtmlPage) {
    texts(attempt, page);
    page.list(attempt.artifacts.iter().map(|(name, state)| format!("<code>{}</code> {}", text(name), text(state))));
    if let Some(output) = &attempt.output {
        page.fold(false, "Output", |page| page.block("", &pretty(output)));
    }
    if let Some(prompt) = &attempt.prompt {
        page.fold(false, "Input", |page| page.block("", prompt));
    }
    if let Some(path) = &attempt.path {
        page.line(format_args!("<p class=\"quiet\"><code>{}</code></p>", text(path)));
    }
}

/// The error, the worker's text, and the commands.
fn texts(attempt: &ReportedAttempt, page: &mut HtmlPage) {
    page.block("failure", attempt.error.as_deref().unwrap_or_default());
    page.block("", &attempt.details);
    if attempt.commands.is_empty() {
        return;
    }
    let row = |run: &CommandResult| {
        let class = if run.exit_status == 0 { "success" } else { "failure" };
        format!("<td><code>{}</code></td><td class=\"{class}\">{}</td>", text(&run.command), run.exit_status)
    };
    page.table(&["command", "exit status"], attempt.commands.iter().map(row));
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a JSON value has a text")
}
