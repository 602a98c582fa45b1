//! Output of the commands that change a plan or a run.

use super::{indented, one_line};
use crate::render::counted;
use canonry_app::plan::{
    approve::ApprovedStep, export::ExportPlanOutcome, finish::FinishedStep, new::NewPlanOutcome,
    release::ReleasedClaim, set::StatusChange,
};
use canonry_app::workflow::approve::ApprovedGate;
use std::fmt::Write as _;

/// The files of a new plan, and what to do next.
pub fn created(outcome: &NewPlanOutcome) -> String {
    let NewPlanOutcome { id, intake, plan } = outcome;
    let mut text = String::new();
    for path in [intake, plan].into_iter().flatten() {
        let _ = writeln!(text, "wrote     {path}");
    }
    let next = match plan {
        None => format!(
            "Fill in the intake, then run `canonry run new {id}` again: each acceptance criterion becomes a step."
        ),
        Some(path) => format!(
            "Name the owner, the files and a command of each step in {path}, then run `canonry run check {id}`."
        ),
    };
    let _ = writeln!(text, "{next}");
    text
}

/// Who approved what, and where it is recorded.
pub fn approved(outcome: &ApprovedStep) -> String {
    format!("{}: approved by {} in {}\n", one_line(&outcome.step), one_line(&outcome.by), outcome.path)
}

/// A decision in a workflow, and where the run goes.
pub fn answered(outcome: &ApprovedGate) -> String {
    let gate = one_line(&outcome.gate);
    let option = one_line(&outcome.option);
    let by = one_line(&outcome.by);
    format!("{gate}: {by} decided `{option}`; next: {}\n", one_line(&outcome.next))
}

/// An ended run.
pub fn aborted(run: &str) -> String {
    format!("{}: aborted\n", one_line(run))
}

/// Whether a claim was released.
pub fn released(outcome: &ReleasedClaim) -> String {
    let step = one_line(&outcome.step);
    if outcome.was_claimed { format!("released {step}\n") } else { format!("{step} is not claimed\n") }
}

/// A changed status, and where its reason is recorded.
pub fn status_set(outcome: &StatusChange) -> String {
    let step = one_line(&outcome.step);
    let mut text = format!("{step}: {} -> {} in {}\n", outcome.from.as_str(), outcome.to.as_str(), outcome.path);
    if let Some(report) = &outcome.report {
        let _ = writeln!(text, "recorded the reason in {report}");
    }
    text + &notices(&outcome.notices)
}

fn notices(notices: &[String]) -> String {
    notices.iter().map(|notice| format!("note: {}\n", indented(notice))).collect()
}

/// Record of the end of the work on a step, or the reason why there is none.
pub fn finished(outcome: &FinishedStep) -> String {
    let step = one_line(&outcome.step);
    let commands = counted(outcome.commands, "command");
    match (&outcome.failure, &outcome.report) {
        (Some(failure), _) => {
            format!("{step}: still {}: {}\n", outcome.status.as_str(), indented(failure))
        }
        (None, Some(report)) => {
            let text = format!("{step}: {} ({commands} run), report in {report}\n", outcome.status.as_str());
            text + &notices(&outcome.notices)
        }
        (None, None) => format!("{step}: {}\n", outcome.status.as_str()),
    }
}

/// Message of `run export --output FILE`. `file` is the path as given.
pub fn exported(outcome: &ExportPlanOutcome, file: &str) -> String {
    let what = if outcome.unchanged == Some(true) { "unchanged" } else { "wrote    " };
    let mut text = format!("{what} {file}\n");
    if !outcome.is_checked {
        text.push_str("`canonry check` does not compare this file with the plan: it looks in .github/workflows and agent/exports.\n");
    }
    text
}
