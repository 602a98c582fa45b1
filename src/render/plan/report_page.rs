//! The combined report as one HTML page, without scripts and without requests.

use super::graph::{DrawnStep, from_steps};
use crate::render::counted;
use crate::render::drawing::svg::{SvgPlace, to_svg};
use crate::render::page::{self, text};
use crate::render::timeline::{TimelineMark, TimelineRow, timeline};
use canonry_app::plan::StepStatus;
use canonry_app::plan::report::{CombinedAttempt, CombinedReport, CombinedStep};
use std::fmt::Write as _;

/// Marks a page that canonry may replace.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"canonry plan report\">";

/// The page.
pub fn page(report: &CombinedReport) -> String {
    let title = report.title.as_deref().unwrap_or(&report.plan);
    let mut html = page::begin(title, GENERATOR);
    let title = text(title);
    let outcome = report.outcome.as_str();
    let _ = writeln!(
        html,
        "<h1>{title} <span class=\"badge {outcome}\">{outcome}</span></h1>\n<p class=\"quiet\">Plan <code>{}</code>: {} of {} complete, {}.</p>",
        text(&report.plan),
        report.count(StepStatus::Complete),
        counted(report.steps.len(), "step"),
        counted(report.attempts.len(), "attempt"),
    );
    if let Some(goal) = &report.goal {
        let _ = writeln!(html, "<p>{}</p>", text(goal));
    }
    verification(report, &mut html);
    first_failure(report, &mut html);
    graph(report, &mut html);
    if let Some(svg) = timeline("Attempts over time", &rows(report)) {
        let _ = writeln!(html, "<h2>Timeline</h2>\n<div class=\"wide\">\n{svg}</div>");
    }
    html.push_str("<h2>Steps</h2>\n");
    for step in &report.steps {
        step_section(report, step, &mut html);
    }
    html.push_str(page::END);
    html
}

fn verification(report: &CombinedReport, html: &mut String) {
    let _ = match (&report.verification.path, &report.verification.problem) {
        (None, _) => writeln!(html, "<p>Verification: <span class=\"pending\">none</span></p>"),
        (Some(path), None) => {
            writeln!(html, "<p>Verification: <span class=\"success\">holds</span> (<code>{}</code>)</p>", text(path))
        }
        (Some(path), Some(problem)) => {
            writeln!(
                html,
                "<p>Verification: <span class=\"failure\">{}</span> (<code>{}</code>)</p>",
                text(problem),
                text(path)
            )
        }
    };
}

fn first_failure(report: &CombinedReport, html: &mut String) {
    let Some(attempt) = report.first_failure.and_then(|at| report.attempts.get(at)) else { return };
    let _ = writeln!(
        html,
        "<section class=\"failed\">\n<h2>First failure: {}, attempt {}</h2>\n<p class=\"quiet\">{}</p>",
        text(report.step_id(attempt)),
        attempt.number,
        summary(attempt)
    );
    for line in [attempt.error.as_deref(), Some(attempt.details.as_str())].into_iter().flatten() {
        if !line.trim().is_empty() {
            let _ = writeln!(html, "<pre>{}</pre>", text(line));
        }
    }
    commands(attempt, html);
    html.push_str("</section>\n");
}

fn graph(report: &CombinedReport, html: &mut String) {
    let failed = report.first_failure.and_then(|at| report.attempts.get(at)).map(|attempt| attempt.step);
    let step = |(at, step): (usize, &'_ CombinedStep)| (step.status, Some(at) == failed);
    let states: Vec<_> = report.steps.iter().enumerate().map(step).collect();
    let steps = report.steps.iter().zip(states).map(|(step, (status, is_marked))| DrawnStep {
        id: &step.id,
        owner: &step.owner,
        status,
        deps: &step.deps,
        is_marked,
    });
    let mut drawing = from_steps(steps);
    drawing.title = "Steps".into();
    let svg = to_svg(&drawing, SvgPlace::Page);
    let _ = writeln!(html, "<h2>Steps and their order</h2>\n<div class=\"wide\">\n{svg}</div>");
}

/// The attempts of each step, as far as they have a timestamp.
fn rows(report: &CombinedReport) -> Vec<TimelineRow> {
    let mark = |attempt: &CombinedAttempt| {
        let time = attempt.timestamp?;
        Some(TimelineMark {
            class: class(attempt),
            start: time.to_jiff().as_second() as f64,
            end: None,
            title: format!("attempt {}: {}, {time}", attempt.number, attempt.outcome_word()),
        })
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

fn step_section(report: &CombinedReport, step: &CombinedStep, html: &mut String) {
    let status = step.status.as_str();
    let _ = writeln!(
        html,
        "<section class=\"step\">\n<h3>{} <span class=\"badge {status}\">{}</span></h3>\n<p class=\"quiet\">{}</p>",
        text(&step.id),
        status.replace('_', " "),
        text(&step.owner)
    );
    if !step.description.is_empty() {
        let _ = writeln!(html, "<p>{}</p>", text(&step.description));
    }
    if !step.criteria.is_empty() {
        html.push_str("<ul>\n");
        for criterion in &step.criteria {
            let _ = writeln!(html, "<li>{}</li>", text(criterion));
        }
        html.push_str("</ul>\n");
    }
    for attempt in report.attempts.get(step.attempts.clone()).unwrap_or_default() {
        attempt_part(attempt, html);
    }
    html.push_str("</section>\n");
}

fn attempt_part(attempt: &CombinedAttempt, html: &mut String) {
    let _ = writeln!(
        html,
        "<details{}>\n<summary>Attempt {}: <span class=\"{}\">{}</span> <span class=\"quiet time\">{}</span></summary>",
        if attempt.outcome_word() == "success" { "" } else { " open" },
        attempt.number,
        class(attempt),
        attempt.outcome_word(),
        summary(attempt)
    );
    for line in [Some(attempt.details.as_str()), attempt.error.as_deref()].into_iter().flatten() {
        if !line.trim().is_empty() {
            let _ = writeln!(html, "<pre>{}</pre>", text(line));
        }
    }
    commands(attempt, html);
    if !attempt.artifacts.is_empty() {
        html.push_str("<ul>\n");
        for (name, state) in &attempt.artifacts {
            let _ = writeln!(html, "<li><code>{}</code> {}</li>", text(name), text(state));
        }
        html.push_str("</ul>\n");
    }
    let _ = writeln!(html, "<p class=\"quiet\"><code>{}</code></p>\n</details>", text(&attempt.path));
}

/// Time, cause, owner and commit.
fn summary(attempt: &CombinedAttempt) -> String {
    let time = attempt.timestamp.map(|time| time.to_string());
    let commit = attempt.commit.as_deref().map(|commit| format!("commit {commit}"));
    let cause = attempt.cause.map(|cause| cause.replace('_', " "));
    let parts = [time, cause, attempt.owner.clone(), commit];
    text(&parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
}

fn commands(attempt: &CombinedAttempt, html: &mut String) {
    if attempt.commands.is_empty() {
        return;
    }
    html.push_str("<table>\n<thead><tr><th>command</th><th>exit status</th></tr></thead>\n<tbody>\n");
    for run in &attempt.commands {
        let class = if run.exit_status == 0 { "success" } else { "failure" };
        let _ = writeln!(
            html,
            "<tr><td><code>{}</code></td><td class=\"{class}\">{}</td></tr>",
            text(&run.command),
            run.exit_status
        );
    }
    html.push_str("</tbody>\n</table>\n");
}
