//! Plans, and the next step of a plan. Texts from plans are data: control characters are escaped.

use super::{counted, json};
use crate::app::plan::next::{NextStep, ReadyStep};
use crate::app::plan::show::StepState;
use crate::app::plan::{StepStatus, WaitReason, next, set, show};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;

/// The number of dependencies that a line names.
const MAX_NAMES: usize = 3;
/// The maximum width of a column; longer texts move the rest of their line.
const MAX_COLUMN: usize = 30;

/// A text on one line: control characters and direction marks, which can hide or reorder text, are escaped.
pub(super) fn one_line(text: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|c| if is_unsafe(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

/// The document `canonry/plan/v1`.
#[derive(Serialize)]
struct PlanDocument<'a> {
    schema: &'static str,
    plan: &'a str,
    path: String,
    steps: Vec<StepDocument<'a>>,
}

#[derive(Serialize)]
struct StepDocument<'a> {
    id: &'a str,
    owner: &'a str,
    status: &'static str,
    ready: bool,
    deps: Vec<&'a str>,
}

impl<'a> StepDocument<'a> {
    fn new(step: &'a StepState, steps: &'a [StepState]) -> Self {
        Self {
            id: &step.id,
            owner: &step.owner,
            status: step.status.as_str(),
            ready: step.ready,
            deps: step.deps.iter().filter_map(|at| steps.get(*at)).map(|dep| dep.id.as_str()).collect(),
        }
    }
}

/// The document `canonry/plan/v1`.
pub fn show_to_json(outcome: &show::Outcome) -> String {
    json::to_text(&PlanDocument {
        schema: "canonry/plan/v1",
        plan: &outcome.plan,
        path: outcome.path.to_display(),
        steps: outcome.steps.iter().map(|step| StepDocument::new(step, &outcome.steps)).collect(),
    })
}

/// A line per step with its marker, id, owner, status, and what it waits for; then a summary.
pub fn show_to_text(outcome: &show::Outcome) -> String {
    let ids: Vec<Cow<'_, str>> = outcome.steps.iter().map(|step| one_line(&step.id)).collect();
    let owners: Vec<Cow<'_, str>> = outcome.steps.iter().map(|step| one_line(&step.owner)).collect();
    let width = |texts: &[Cow<'_, str>]| {
        texts.iter().map(|text| text.chars().count()).max().unwrap_or_default().min(MAX_COLUMN)
    };
    let (id_width, owner_width) = (width(&ids), width(&owners));
    let mut text = format!("{}  {}\n", one_line(&outcome.plan), outcome.path);
    for ((step, id), owner) in outcome.steps.iter().zip(&ids).zip(&owners) {
        let line = format!(
            "{} {id:id_width$}  {owner:owner_width$}  {:11}  {}",
            marker(step),
            step.status.as_str(),
            step.waits.as_ref().map_or_else(|| if step.ready { "ready".to_owned() } else { String::new() }, waits)
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let with = |status: StepStatus| outcome.steps.iter().filter(|step| step.status == status).count();
    let ready = outcome.steps.iter().filter(|step| step.ready).count();
    let _ = writeln!(
        text,
        "{}: {} complete, {} in progress, {} blocked, {} pending ({ready} ready)",
        counted(outcome.steps.len(), "step"),
        with(StepStatus::Complete),
        with(StepStatus::InProgress),
        with(StepStatus::Blocked),
        with(StepStatus::Pending),
    );
    text
}

fn marker(step: &StepState) -> &'static str {
    match step.status {
        StepStatus::Complete => "[x]",
        StepStatus::InProgress => "[>]",
        StepStatus::Blocked => "[!]",
        StepStatus::Pending | StepStatus::Unknown => "[ ]",
    }
}

fn waits(reason: &WaitReason) -> String {
    match reason {
        WaitReason::Deps(deps) => format!("waits for {}", names(deps)),
        WaitReason::RunsAlone(step) => format!("waits for {}: they do not run together", one_line(step)),
        WaitReason::SharedFile { step, file } => {
            format!("waits for {}: both write {}", one_line(step), one_line(file))
        }
    }
}

/// The first names, and the number of the others.
fn names(ids: &[String]) -> String {
    let shown: Vec<Cow<'_, str>> = ids.iter().take(MAX_NAMES).map(|id| one_line(id)).collect();
    let shown = shown.join(", ");
    if ids.len() > MAX_NAMES { format!("{shown} and {} more", ids.len() - MAX_NAMES) } else { shown }
}

/// The document `canonry/plan-next/v1`.
#[derive(Serialize)]
struct NextDocument<'a> {
    schema: &'static str,
    plan: &'a str,
    path: String,
    state: &'static str,
    step: Option<NextStepDocument<'a>>,
    waiting_for: &'a [String],
}

#[derive(Serialize)]
struct NextStepDocument<'a> {
    id: &'a str,
    owner: &'a str,
    description: &'a str,
    criteria: &'a [String],
    commands: &'a [String],
    files: &'a [String],
    report: Option<String>,
}

/// The document `canonry/plan-next/v1`.
pub fn next_to_json(outcome: &next::Outcome) -> String {
    let (state, step, waiting_for): (_, _, &[String]) = match &outcome.next {
        NextStep::Ready(step) => ("ready", Some(step), &[]),
        NextStep::InProgress(steps) => ("in_progress", None, steps),
        NextStep::Blocked(steps) => ("blocked", None, steps),
        NextStep::Complete => ("complete", None, &[]),
    };
    let step = step.map(|step| NextStepDocument {
        id: &step.id,
        owner: &step.owner,
        description: &step.description,
        criteria: &step.criteria,
        commands: &step.commands,
        files: &step.files,
        report: step.report.as_ref().map(|path| path.to_display()),
    });
    let path = outcome.path.to_display();
    json::to_text(&NextDocument { schema: "canonry/plan-next/v1", plan: &outcome.plan, path, state, step, waiting_for })
}

/// The next step, or why no step is ready.
pub fn next_to_text(outcome: &next::Outcome) -> String {
    match &outcome.next {
        NextStep::Ready(step) => ready_to_text(step),
        NextStep::InProgress(steps) => format!("Nothing is ready; in progress: {}.\n", names(steps)),
        NextStep::Blocked(steps) => format!("Nothing is ready; a person must unblock {}.\n", names(steps)),
        NextStep::Complete => "The plan is complete.\n".to_owned(),
    }
}

fn ready_to_text(step: &ReadyStep) -> String {
    let mut text = format!("{}  {}\n", one_line(&step.id), one_line(&step.owner));
    for line in step.description.lines() {
        let _ = writeln!(text, "  {}", one_line(line));
    }
    for (title, items) in [("criteria", &step.criteria), ("commands", &step.commands), ("files", &step.files)] {
        if !items.is_empty() {
            let _ = writeln!(text, "{title}:");
        }
        for item in items {
            let _ = writeln!(text, "  - {}", one_line(item));
        }
    }
    if let Some(report) = &step.report {
        let _ = writeln!(text, "report: {report}");
    }
    text
}

/// What `plan set` changed.
pub fn set_to_text(outcome: &set::Outcome) -> String {
    let step = one_line(&outcome.step);
    let mut text = format!("{step}: {} -> {} in {}\n", outcome.from.as_str(), outcome.to.as_str(), outcome.path);
    if let Some(report) = &outcome.report {
        let _ = writeln!(text, "recorded the reason in {report}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_direction_marks_are_escaped() {
        assert_eq!(one_line("a\u{1b}[2J\n\u{202e}b"), "a\\u{1b}[2J\\n\\u{202e}b");
        assert_eq!(one_line("größe"), "größe");
    }

    #[test]
    fn many_names_are_counted() {
        let ids: Vec<String> = (1..=5).map(|id| id.to_string()).collect();
        assert_eq!(names(&ids), "1, 2, 3 and 2 more");
        assert_eq!(names(&ids[..3]), "1, 2, 3");
    }
}
