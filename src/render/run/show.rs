//! The steps of a plan with their states.

use super::{names, one_line, phase_line};
use crate::render::human::{Colour, Style};
use crate::render::{counted, json};
use canonry_app::plan::show::{PlanDetails, StepState};
use canonry_app::plan::{StepStatus, WaitReason};
use canonry_runs::exec::RunKind;
use serde_json::json;
use std::borrow::Cow;
use std::fmt::Write as _;

/// The schema of the steps of a plan or a workflow.
pub(super) const SHOW_SCHEMA: &str = "canonry/run-show/v1";

/// The maximum width of a column; longer texts move the rest of their line.
pub(super) const MAX_COLUMN: usize = 30;

/// The document `canonry/run-show/v1` of a plan.
pub fn to_json(outcome: &PlanDetails) -> String {
    let step = |step: &StepState| {
        let deps: Vec<&String> = step.deps.iter().filter_map(|at| Some(&outcome.steps.get(*at)?.id)).collect();
        let claim = step.claim.as_ref().map(|claim| {
            json!({
                "holder": claim.holder, "attempt": claim.attempt, "time": claim.time.map(|time| time.to_string()),
                "free": claim.is_free(),
            })
        });
        json!({
            "id": step.id, "owner": step.owner, "status": step.status.as_str(), "ready": step.ready, "deps": deps,
            "claim": claim, "attempts": step.attempts,
        })
    };
    json::to_text(&json!({
        "schema": SHOW_SCHEMA,
        "kind": RunKind::Plan,
        "name": outcome.plan,
        "path": outcome.path.to_display(),
        "steps": outcome.steps.iter().map(step).collect::<Vec<_>>(),
        "phase": {"name": outcome.phase.phase.as_str(), "missing": outcome.phase.missing},
    }))
}

/// The steps by level, in the order in which they can run: a line per step with its marker, id, owner, status, and what it
/// waits for, and who has claimed it; then a summary. Steps of one level do not depend on each other.
pub fn to_text(outcome: &PlanDetails, style: Style) -> String {
    let mut steps: Vec<&StepState> = outcome.steps.iter().collect();
    steps.sort_by_key(|step| step.level);
    let ids: Vec<Cow<'_, str>> = steps.iter().map(|step| one_line(&step.id)).collect();
    let owners: Vec<Cow<'_, str>> = steps.iter().map(|step| one_line(&step.owner)).collect();
    let id_width = width(&ids);
    let owner_width = width(&owners);
    let mut text = format!("{}  {}\n", one_line(&outcome.plan), outcome.path);
    let last_level = steps.last().map_or(0, |step| step.level);
    let gutter = (last_level + 1).to_string().len();
    for (at, ((step, id), owner)) in steps.iter().zip(&ids).zip(&owners).enumerate() {
        let is_in_level =
            |at: Option<usize>| at.and_then(|at| steps.get(at)).is_some_and(|other| other.level == step.level);
        let follows = is_in_level(at.checked_sub(1));
        let continues = is_in_level(Some(at + 1));
        let number = if follows { String::new() } else { (step.level + 1).to_string() };
        let line = format!(
            "{number:>gutter$} {} {} {id:id_width$}  {owner:owner_width$}  {}  {}",
            bracket(follows, continues),
            look(step).text(look(step).marker, style),
            look(step).text(&format!("{:11}", step.status.as_str()), style),
            notes(step, outcome),
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
    text + &phase_line(&outcome.plan, &outcome.phase)
}

/// The width of a column in characters.
pub(super) fn width(texts: &[Cow<'_, str>]) -> usize {
    texts.iter().map(|text| text.chars().count()).max().unwrap_or_default().min(MAX_COLUMN)
}

/// Joins the lines of one level.
fn bracket(follows: bool, continues: bool) -> &'static str {
    match (follows, continues) {
        (false, false) => "─",
        (false, true) => "┬",
        (true, true) => "├",
        (true, false) => "└",
    }
}

/// The dependencies of a step that is not pending.
fn after(step: &StepState, outcome: &PlanDetails) -> Option<String> {
    let deps: Vec<String> =
        step.deps.iter().filter_map(|at| outcome.steps.get(*at)).map(|dep| dep.id.clone()).collect();
    (!deps.is_empty()).then(|| format!("after {}", names(&deps)))
}

/// The look of a state: a marker, and a colour as an SGR code.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub marker: &'static str,
    code: &'static str,
}

impl Look {
    pub const DONE: Self = Self { marker: "[x]", code: "32" };
    pub const CURRENT: Self = Self { marker: "[>]", code: "36" };
    pub const STOPPED: Self = Self { marker: "[!]", code: "31;1" };
    pub const NEXT: Self = Self { marker: "[ ]", code: "33;1" };
    pub const LATER: Self = Self { marker: "[ ]", code: "2" };

    /// A text in the colour of the state.
    pub fn text(self, text: &str, style: Style) -> String {
        match style.colour {
            Colour::None => text.to_owned(),
            _ => format!("\u{1b}[{}m{text}\u{1b}[0m", self.code),
        }
    }
}

fn look(step: &StepState) -> Look {
    match step.status {
        StepStatus::Complete => Look::DONE,
        StepStatus::InProgress => Look::CURRENT,
        StepStatus::Blocked => Look::STOPPED,
        StepStatus::Pending if step.ready => Look::NEXT,
        StepStatus::Pending | StepStatus::Unknown => Look::LATER,
    }
}

/// Obstacles of a step, and the holder of its claim.
fn notes(step: &StepState, outcome: &PlanDetails) -> String {
    let ready = || step.ready.then(|| "ready".to_owned());
    let state = step.waits.as_ref().map(waits).or_else(ready).or_else(|| after(step, outcome));
    let claim = step.claim.as_ref().filter(|claim| !claim.is_free()).map(|claim| match &claim.holder {
        Some(holder) => format!("claimed by {}", one_line(holder)),
        None => "claimed by a newer version of canonry".to_owned(),
    });
    state.into_iter().chain(claim).collect::<Vec<_>>().join(", ")
}

fn waits(reason: &WaitReason) -> String {
    match reason {
        WaitReason::Deps(deps) => format!("waits for {}", names(deps)),
        WaitReason::Person(reason) => one_line(reason).to_string(),
        WaitReason::RunsAlone(step) => format!("waits for {}: they do not run together", one_line(step)),
        WaitReason::SharedFile { step, file } => {
            format!("waits for {}: both write {}", one_line(step), one_line(file))
        }
    }
}
