//! The combined report as one HTML page.

use super::GENERATOR;
use super::graph::{DrawnStep, from_steps};
use crate::render::drawing::svg::{SvgPlace, to_svg};
use crate::render::page::{HtmlPage, joined, text};
use crate::render::timeline::{TimelineMark, TimelineRow, draw};
use crate::render::{counted, time_text};
use canonry_app::plan::StepStatus;
use canonry_app::plan::report::{CombinedAttempt, CombinedReport, CombinedStep};

/// Digits of a commit id.
const COMMIT_DIGITS: usize = 10;

/// The page.
pub fn page(report: &CombinedReport) -> String {
    let title = report.title.as_deref().unwrap_or(&report.plan);
    let mut page = HtmlPage::new(&format!("Report: {title}"), GENERATOR);
    let outcome = report.outcome.as_str();
    let steps = counted(report.steps.len(), "step");
    let attempts = counted(report.attempts.len(), "attempt");
    let complete = report.count(StepStatus::Complete);
    let facts = format!("Plan <code>{}</code>: {complete} of {steps} complete, {attempts}.", text(&report.plan));
    page.heading(1, title, (outcome, outcome), &facts);
    page.paragraph(report.goal.as_deref().unwrap_or_default());
    verification(report, &mut page);
    first_failure(report, &mut page);
    graph(report, &mut page);
    draw("Attempts over time", &rows(report), &mut page);
    page.line(format_args!("<h2>Steps</h2>"));
    for step in &report.steps {
        page.section("step", |page| step_section(report, step, page));
    }
    page.finish()
}

fn verification(report: &CombinedReport, page: &mut HtmlPage) {
    let is_complete = report.count(StepStatus::Complete) == report.steps.len();
    let (class, word, code) = match (&report.verification.path, &report.verification.problem) {
        (None, _) if is_complete => ("pending", "none yet; run", format!("canonry run verify {}", report.plan)),
        (None, _) => ("pending", "none yet", String::new()),
        (Some(path), None) => ("success", "holds", path.clone()),
        (Some(path), Some(problem)) => ("failure", problem.as_str(), path.clone()),
    };
    let code = text(&code);
    page.line(format_args!("<p>Verification: <span class=\"{class}\">{}</span> <code>{code}</code></p>", text(word)));
}

fn first_failure(report: &CombinedReport, page: &mut HtmlPage) {
    let Some(attempt) = report.first_failure.and_then(|at| report.attempts.get(at)) else { return };
    page.section("failed", |page| {
        page.line(format_args!(
            "<h2>First failure: {}, attempt {}</h2>\n<p class=\"quiet\">{}</p>",
            text(report.step_id(attempt)),
            attempt.number,
            summary(attempt)
        ));
        details(attempt, page);
    });
}

fn graph(report: &CombinedReport, page: &mut HtmlPage) {
    let failed = report.first_failure.and_then(|at| report.attempts.get(at)).map(|attempt| attempt.step);
    let steps = report.steps.iter().enumerate().map(|(at, step)| DrawnStep {
        id: &step.id,
        owner: &step.owner,
        status: step.status,
        deps: &step.deps,
        is_marked: Some(at) == failed,
    });
    let mut drawing = from_steps(steps);
    drawing.title = "Steps".into();
    page.drawing("Steps and their order", &to_svg(&drawing, SvgPlace::Page));
}

/// The attempts of each step, as far as they have a timestamp.
fn rows(report: &CombinedReport) -> Vec<TimelineRow> {
    let mark = |attempt: &CombinedAttempt| {
        let start = attempt.timestamp?;
        let title = format!("attempt {}: {}, {}", attempt.number, attempt.outcome_word(), time_text(start));
        Some(TimelineMark { class: class(attempt), start, end: None, title })
    };
    let row = |step: &CombinedStep| {
        let attempts = report.attempts.get(step.attempts.clone()).unwrap_or_default();
        TimelineRow { label: step.id.clone(), marks: attempts.iter().filter_map(mark).collect() }
    };
    report.steps.iter().map(row).collect()
}

/// The class of an attempt's outcome in the style sheet.
fn class(attempt: &CombinedAttempt) -> &'static str {
    match attempt.outcome_word() {
        "invalid report" => "invalid",
        word => word,
    }
}

fn step_section(report: &CombinedReport, step: &CombinedStep, page: &mut HtmlPage) {
    let status = step.status.as_str();
    page.heading(3, &step.id, (status, status), &text(&step.owner));
    page.paragraph(&step.description);
    page.list(step.criteria.iter().map(|criterion| text(criterion)));
    for attempt in report.attempts.get(step.attempts.clone()).unwrap_or_default() {
        let is_open = attempt.outcome_word() != "success" && step.status != StepStatus::Complete;
        let name = format!("Attempt {}", attempt.number);
        let result = (class(attempt), attempt.outcome_word());
        page.attempt(is_open, &name, result, &summary(attempt), |page| {
            details(attempt, page);
            page.list(
                attempt.artifacts.iter().map(|(name, state)| format!("<code>{}</code> {}", text(name), text(state))),
            );
            page.line(format_args!("<p class=\"quiet\"><code>{}</code></p>", text(&attempt.path)));
        });
    }
}

/// Time, cause, owner and commit.
fn summary(attempt: &CombinedAttempt) -> String {
    let commit = attempt.commit.as_deref().map(|id| format!("commit {}", id.get(..COMMIT_DIGITS).unwrap_or(id)));
    let cause = attempt.cause.map(|cause| cause.replace('_', " "));
    joined([attempt.timestamp.map(time_text), cause, attempt.owner.clone(), commit])
}

/// The error, the worker's text, and the commands.
fn details(attempt: &CombinedAttempt, page: &mut HtmlPage) {
    page.block("", attempt.error.as_deref().unwrap_or_default());
    page.block("", &attempt.details);
    if attempt.commands.is_empty() {
        return;
    }
    let row = |run: &canonry_runs::plan::attempt_report::CommandResult| {
        let class = if run.exit_status == 0 { "success" } else { "failure" };
        format!("<td><code>{}</code></td><td class=\"{class}\">{}</td>", text(&run.command), run.exit_status)
    };
    page.table(&["command", "exit status"], attempt.commands.iter().map(row));
}
