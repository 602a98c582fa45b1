//! The report of a run as one HTML page, without scripts and without requests.

use super::graph::from_diagram;
use super::report::task_word;
use super::status::phase_word;
use super::{cost_text, outcome_word, seconds_text, time_text};
use crate::render::counted;
use crate::render::drawing::svg::{SvgPlace, to_svg};
use crate::render::page::{self, text};
use crate::render::timeline::{TimelineMark, TimelineRow, timeline};
use canonry_app::Timestamp;
use canonry_app::workflow::report::{EndedStep, RunReport, TaskState};
use canonry_app::workflow::status::{RunPhase, StepOutcome};
use canonry_runs::workflow::log_line::destination;
use std::fmt::Write as _;

/// Marks a page that canonry may replace.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"canonry workflow report\">";

/// The page.
pub fn page(report: &RunReport) -> String {
    let run = &report.status;
    let mut html = page::begin(&run.run, GENERATOR);
    let phase = phase_word(&run.phase);
    let version = run.version.as_ref().map(|version| format!(" {}", text(version))).unwrap_or_default();
    let parts = [
        Some(counted(run.ended.len(), "step") + " ended"),
        run.started.map(|started| format!("started {}", time_text(started))),
        run.last.map(|last| format!("last event {}", time_text(last))),
        cost_text(&run.usage),
    ];
    let _ = writeln!(
        html,
        "<h1>{} <span class=\"badge {phase}\">{}</span></h1>\n<p class=\"quiet\">Workflow <code>{}</code>{version}: {}.</p>",
        text(&run.run),
        phase.replace('_', " "),
        text(&run.workflow),
        parts.into_iter().flatten().collect::<Vec<_>>().join(", "),
    );
    if !run.task.is_empty() {
        let _ = writeln!(html, "<p>{}</p>", text(&run.task));
    }
    for (name, value) in &report.parameters {
        let _ = writeln!(html, "<p class=\"quiet\"><code>{}</code> = <code>{}</code></p>", text(name), text(value));
    }
    state(report, &mut html);
    if let Some(diagram) = &report.diagram {
        let svg = to_svg(&from_diagram(&run.run, diagram), SvgPlace::Page);
        let _ = writeln!(html, "<h2>The path taken</h2>\n<div class=\"wide\">\n{svg}</div>");
    }
    if let Some(svg) = timeline("Tasks over time", &rows(report)) {
        let _ = writeln!(html, "<h2>Timeline</h2>\n<div class=\"wide\">\n{svg}</div>");
    }
    decisions(report, &mut html);
    html.push_str("<h2>Steps</h2>\n");
    for step in &run.ended {
        step_section(report, step, &mut html);
    }
    if !report.current.is_empty() {
        let step = &report.current_step;
        let (class, word) = if run.is_ended() { ("pending", "not finished") } else { ("working", "at work") };
        let _ = writeln!(
            html,
            "<section class=\"step\">\n<h3>{} <span class=\"badge {class}\">{word}</span></h3>",
            text(step)
        );
        report.current.iter().for_each(|task| task_part(report, step, task, &mut html));
        html.push_str("</section>\n");
    }
    html.push_str(page::END);
    html
}

/// Why the run was aborted, or what it waits for.
fn state(report: &RunReport, html: &mut String) {
    let run = &report.status;
    if let RunPhase::Aborted(reason) = &run.phase {
        let reason = reason.as_deref().unwrap_or("no reason given");
        let _ = writeln!(html, "<section class=\"failed\">\n<h2>Aborted</h2>\n<pre>{}</pre>\n</section>", text(reason));
    }
    let Some(question) = &run.question else { return };
    let _ = writeln!(
        html,
        "<section class=\"asks\">\n<h2>{} waits for a person</h2>\n<pre>{}</pre>",
        text(&question.name),
        text(&question.message)
    );
    if let Some(deadline) = &question.deadline {
        let overdue = if run.is_overdue { " <span class=\"failure\">overdue</span>" } else { "" };
        let _ = writeln!(
            html,
            "<p>Until {}{overdue}</p>",
            Timestamp::parse(deadline).map_or_else(|| text(deadline), time_text)
        );
    }
    let option = if question.options.is_empty() { "TEXT".to_owned() } else { question.options.join("|") };
    let command = format!("canonry workflow approve {} --option {option}", run.run);
    let _ = writeln!(html, "<p><code>{}</code></p>\n</section>", text(&command));
}

fn decisions(report: &RunReport, html: &mut String) {
    if report.answers.is_empty() {
        return;
    }
    html.push_str(
        "<h2>Decisions of people</h2>\n<div class=\"wide\">\n<table>\n<thead><tr><th>question</th><th>option</th><th>by</th><th>time</th>\
         <th>reason</th></tr></thead>\n<tbody>\n",
    );
    for answer in &report.answers {
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td><code>{}</code></td><td>{}</td><td class=\"time\">{}</td><td>{}</td></tr>",
            text(&answer.name),
            text(&answer.option),
            text(&answer.by),
            answer.at.map(time_text).unwrap_or_default(),
            text(answer.why.as_deref().unwrap_or_default()),
        );
    }
    html.push_str("</tbody>\n</table>\n</div>\n");
}

/// The tasks as bars, a row per step and part, in the order of their first beginning.
fn rows(report: &RunReport) -> Vec<TimelineRow> {
    let mut rows: Vec<TimelineRow> = Vec::new();
    let seconds = |time: Timestamp| time.to_jiff().as_millisecond() as f64 / 1000.0;
    for (step, task) in report.tasks() {
        let Some(started) = task.started else { continue };
        let name = report.task_name(task.number);
        let label = if name == step { step.to_owned() } else { format!("{step}: {name}") };
        let start = seconds(started);
        // A task that runs ends, for now, with the last event.
        let end = task.ended.or(report.status.last).map_or(start, seconds).max(start);
        let mark = TimelineMark {
            class: class(task_word(task)),
            start,
            end: Some(end),
            title: format!(
                "task {}: {}, {}, {}",
                task.number,
                task_word(task),
                time_text(started),
                seconds_text(end - start)
            ),
        };
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

fn step_section(report: &RunReport, step: &EndedStep, html: &mut String) {
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
    let _ = writeln!(
        html,
        "<section class=\"step\">\n<h3>{} <span class=\"badge {}\">{outcome}</span></h3>\n<p class=\"quiet\">{}</p>",
        text(&step.step),
        class(outcome),
        text(&parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
    );
    let keywords = if step.keywords.is_empty() {
        String::new()
    } else {
        format!("<code>{}</code> ", text(&step.keywords.join(" ")))
    };
    let _ = writeln!(html, "<p>Decision: {keywords}→ {}</p>", text(&destination(&step.next)));
    if let Some(reason) = &step.reason {
        let _ = writeln!(html, "<pre class=\"{}\">{}</pre>", class(outcome), text(reason));
    }
    if let Some(output) = &step.output {
        block(
            "Output",
            &serde_json::to_string_pretty(output).expect("a JSON value has a text"),
            step.outcome != StepOutcome::Done,
            html,
        );
    }
    step.tasks.iter().for_each(|task| task_part(report, &step.step, task, html));
    html.push_str("</section>\n");
}

fn task_part(report: &RunReport, step: &str, task: &TaskState, html: &mut String) {
    let name = report.task_name(task.number);
    let name = if name == step { String::new() } else { format!(", {}", text(name)) };
    let end = task.end.as_ref();
    let parts = [
        Some(task.owner.clone().unwrap_or_else(|| "calling session".to_owned())),
        (task.attempt > 1).then(|| format!("attempt {}", task.attempt)),
        end.map(|end| end.seconds).filter(|seconds| *seconds > 0.0).map(seconds_text),
        end.and_then(|end| cost_text(&end.usage)),
    ];
    let word = task_word(task);
    let _ = writeln!(
        html,
        "<details{}>\n<summary>Task {}{name}: <span class=\"{}\">{word}</span> <span class=\"quiet\">{}</span></summary>",
        if word == "failed" { " open" } else { "" },
        task.number,
        class(word),
        text(&parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
    );
    if let Some(error) = end.and_then(|end| end.error.as_ref()) {
        let _ = writeln!(html, "<pre class=\"failure\">{}</pre>", text(error));
    }
    let texts = report.texts.get(&task.number);
    let answer = texts.and_then(|texts| texts.answer.as_deref()).or(end.map(|end| end.answer.as_str()));
    if let Some(answer) = answer.filter(|answer| !answer.trim().is_empty()) {
        let _ = writeln!(html, "<p class=\"quiet\">Answer</p>\n<pre>{}</pre>", text(answer));
    }
    if let Some(output) = end.and_then(|end| end.output.as_ref()) {
        block("Output", &serde_json::to_string_pretty(output).expect("a JSON value has a text"), false, html);
    }
    if let Some(prompt) = texts.and_then(|texts| texts.prompt.as_deref()) {
        block("Input", prompt, false, html);
    }
    html.push_str("</details>\n");
}

/// A text that can be folded.
fn block(title: &str, content: &str, is_open: bool, html: &mut String) {
    let open = if is_open { " open" } else { "" };
    let _ = writeln!(html, "<details{open}>\n<summary>{title}</summary>\n<pre>{}</pre>\n</details>", text(content));
}
