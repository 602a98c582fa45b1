//! The next step of a plan.

use super::claim::{TakenClaimDocument, taken};
use super::{names, one_line};
use crate::render::json;
use canonry_app::plan::next::{NextStep, NextStepOutcome, ReadyStep};
use serde::Serialize;
use std::fmt::Write as _;

/// The document `canonry/plan-next/v1`.
#[derive(Serialize)]
struct NextDocument<'a> {
    schema: &'static str,
    plan: &'a str,
    path: String,
    state: &'static str,
    step: Option<NextStepDocument<'a>>,
    waiting_for: Vec<&'a String>,
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
    claim: Option<TakenClaimDocument<'a>>,
}

/// The document `canonry/plan-next/v1`.
pub fn to_json(outcome: &NextStepOutcome) -> String {
    let (state, step, waiting_for) = match &outcome.next {
        NextStep::Ready(step) => ("ready", Some(step), Vec::new()),
        NextStep::InProgress(steps) => ("in_progress", None, steps.iter().collect()),
        NextStep::NeedsPerson(steps) => ("blocked", None, steps.iter().map(|(step, _)| step).collect()),
        NextStep::Complete => ("complete", None, Vec::new()),
    };
    let step = step.map(|step| NextStepDocument {
        id: &step.id,
        owner: &step.owner,
        description: &step.description,
        criteria: &step.criteria,
        commands: &step.commands,
        files: &step.files,
        report: step.report.as_ref().map(|path| path.to_display()),
        claim: step.claim.as_ref().map(TakenClaimDocument::new),
    });
    let path = outcome.path.to_display();
    json::to_text(&NextDocument { schema: "canonry/plan-next/v1", plan: &outcome.plan, path, state, step, waiting_for })
}

/// The next step, or why no step is ready.
pub fn to_text(outcome: &NextStepOutcome) -> String {
    match &outcome.next {
        NextStep::Ready(step) => ready_to_text(step),
        NextStep::InProgress(steps) => format!("Nothing is ready; in progress: {}.\n", names(steps)),
        NextStep::NeedsPerson(steps) => {
            let mut text = "Nothing is ready; a person is needed:\n".to_owned();
            for (step, reason) in steps {
                let _ = writeln!(text, "  {}: {}", one_line(step), one_line(reason));
            }
            text
        }
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
    if let Some(claim) = &step.claim {
        text.push_str(&taken(&step.id, claim));
    }
    text
}
