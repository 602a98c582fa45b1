//! The report of a run as one HTML page.

use super::graph::from_diagram;
use super::report::task_word;
use super::status::phase_word;
use super::{GENERATOR, cost_text, deadline_text, outcome_word};
use crate::render::drawing::svg::{SvgPlace, to_svg};
use crate::render::page::{HtmlPage, joined, text};
use crate::render::timeline::{TimelineMark, TimelineRow, draw, seconds_between};
use crate::render::{counted, seconds_text, time_text};
use canonry_app::runs::open::answer_command;
use canonry_app::workflow::Question;
use canonry_app::workflow::report::{EndedStep, RunReport, TaskState};
use canonry_app::workflow::status::{RunPhase, StepOutcome};
use canonry_runs::workflow::log_line::destination;
use serde_json::Value;

/// The page.
pub fn page(report: &RunReport) -> String {
    let run = &report.status;
    let mut page = HtmlPage::new(&format!("Report: {}", run.run), GENERATOR);
    let phase = phase_word(&run.phase);
    let version = run.version.as_ref().map(|version| format!(" {}", text(version))).unwrap_or_default();
    let parts = [
        Some(counted(run.ended.len(), "step") + " ended"),
        run.started.map(|started| format!("started {}", time_text(started))),
        run.last.map(|last| format!("last event {}", time_text(last))),
        cost_text(&run.usage),
    ];
    let facts = format!("Workflow <code>{}</code>{version} · {}", text(&run.workflow), joined(parts));
    page.heading(1, &run.run, (phase, phase), &facts);
    page.paragraph(&run.task);
    for (name, value) in &report.parameters {
        page.line(format_args!("<p class=\"quiet\"><code>{}</code> = <code>{}</code></p>", text(name), text(value)));
    }
    if let RunPhase::Aborted(reason) = &run.phase {
        page.section("failed", |page| {
            page.line(format_args!("<h2>Aborted</h2>"));
            page.block("", reason.as_deref().unwrap_or("no reason given"));
        });
    }
    if let Some(question) = &run.question {
        page.section("asks", |page| question_section(report, question, page));
    }
    if let Some(diagram) = &report.diagram {
        page.drawing("Path", &to_svg(&from_diagram(&run.run, diagram), SvgPlace::Page));
    }
    draw("Tasks over time", &rows(report), &mut page);
    decisions(report, &mut page);
    page.line(format_args!("<h2>Steps</h2>"));
    for step in &run.ended {
        page.section("step", |page| step_section(report, step, page));
    }
    if !report.current.is_empty() {
        let step = &report.current_step;
        let state = if run.is_ended() { ("pending", "not finished") } else { ("working", "running") };
        page.section("step", |page| {
            page.heading(3, step, state, "");
            report.current.iter().for_each(|task| task_part(report, step, task, true, page));
        });
    }
    page.finish()
}

fn question_section(report: &RunReport, question: &Question, page: &mut HtmlPage) {
    let run = &report.status;
    page.line(format_args!("<h2>{} waits for a person</h2>", text(&question.name)));
    page.block("", &question.message);
    if let Some(deadline) = &question.deadline {
        let overdue = if run.is_overdue { " <span class=\"failure\">overdue</span>" } else { "" };
        page.line(format_args!("<p>Until {}{overdue}</p>", text(&deadline_text(deadline))));
    }
    page.line(format_args!("<p><code>{}</code></p>", text(&answer_command(&run.run, question))));
}

fn decisions(report: &RunReport, page: &mut HtmlPage) {
    if report.answers.is_empty() {
        return;
    }
    page.line(format_args!("<h2>Decisions</h2>"));
    let rows = report.answers.iter().map(|answer| {
        format!(
            "<td>{}</td><td><code>{}</code></td><td>{}</td><td class=\"nowrap\">{}</td><td>{}</td>",
            text(&answer.name),
            text(&answer.option),
            text(&answer.by),
            answer.at.map(time_text).unwrap_or_default(),
            text(answer.why.as_deref().unwrap_or_default()),
        )
    });
    page.table(&["question", "option", "by", "time", "reason"], rows);
}

/// The tasks as bars, a row per step and part, in the order of their first beginning.
fn rows(report: &RunReport) -> Vec<TimelineRow> {
    let mut rows: Vec<TimelineRow> = Vec::new();
    for (step, task) in report.tasks() {
        let Some(start) = task.started else { continue };
        let name = report.task_name(task.number);
        let label = if name == step { step.to_owned() } else { format!("{step}: {name}") };
        // A task that runs ends, for now, with the last event.
        let end = task.ended.or(report.status.last).map_or(start, |end| end.max(start));
        let word = task_word(task);
        let duration = seconds_text(seconds_between(start, end));
        let title = format!("task {}: {word}, {}, {duration}", task.number, time_text(start));
        let mark = TimelineMark { class: class(word), start, end: Some(end), title };
        match rows.iter_mut().find(|row| row.label == label) {
            Some(row) => row.marks.push(mark),
            None => rows.push(TimelineRow { label, marks: vec![mark] }),
        }
    }
    rows
}

/// The class of an outcome in the style sheet.
fn class(word: &str) -> &'static str {
    match word {
        "done" => "success",
        "failed" => "failure",
        "rejected" => "rejected",
        "running" => "working",
        _ => "pending",
    }
}

fn step_section(report: &RunReport, step: &EndedStep, page: &mut HtmlPage) {
    let outcome = outcome_word(step.outcome);
    let number = |number: u64, noun: &str| (number > 1).then(|| format!("{noun} {number}"));
    let parts = [
        number(step.iteration, "iteration"),
        number(step.visit, "visit"),
        number(step.attempts, "attempt"),
        step.started.map(time_text),
        step.seconds().map(seconds_text),
        cost_text(&step.usage()),
    ];
    page.heading(3, &step.step, (class(outcome), outcome), &joined(parts));
    let keywords = if step.keywords.is_empty() {
        String::new()
    } else {
        format!("<code>{}</code> ", text(&step.keywords.join(" ")))
    };
    page.line(format_args!("<p>Decision: {keywords}→ {}</p>", text(&destination(&step.next))));
    page.block(class(outcome), step.reason.as_deref().unwrap_or_default());
    if let Some(output) = &step.output {
        page.fold(step.outcome != StepOutcome::Done, "Output", |page| page.block("", &pretty(output)));
    }
    let is_failed = step.outcome != StepOutcome::Done;
    step.tasks.iter().for_each(|task| task_part(report, &step.step, task, is_failed, page));
}

/// A task, unfolded if it failed and no later one made that good.
fn task_part(report: &RunReport, step: &str, task: &TaskState, shows_failure: bool, page: &mut HtmlPage) {
    let name = report.task_name(task.number);
    let name = if name == step { String::new() } else { format!(", {name}") };
    let end = task.end.as_ref();
    let parts = [
        Some(task.owner.clone().unwrap_or_else(|| "calling session".to_owned())),
        (task.attempt > 1).then(|| format!("attempt {}", task.attempt)),
        end.map(|end| end.seconds).filter(|seconds| *seconds > 0.0).map(seconds_text),
        end.and_then(|end| cost_text(&end.usage)),
    ];
    let word = task_word(task);
    let is_open = shows_failure && word == "failed";
    let name = format!("Task {}{name}", task.number);
    page.attempt(is_open, &name, (class(word), word), &joined(parts), |page| {
        page.block("failure", end.and_then(|end| end.error.as_deref()).unwrap_or_default());
        let texts = report.texts.get(&task.number);
        let answer = texts.and_then(|texts| texts.answer.as_deref()).or(end.map(|end| end.answer.as_str()));
        if let Some(answer) = answer.filter(|answer| !answer.trim().is_empty()) {
            page.line(format_args!("<p class=\"quiet\">Answer</p>"));
            page.block("", answer);
        }
        if let Some(output) = end.and_then(|end| end.output.as_ref()) {
            page.fold(false, "Output", |page| page.block("", &pretty(output)));
        }
        if let Some(prompt) = texts.and_then(|texts| texts.prompt.as_deref()) {
            page.fold(false, "Input", |page| page.block("", prompt));
        }
    });
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("a JSON value has a text")
}
