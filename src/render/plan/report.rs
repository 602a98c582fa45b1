//! The combined report of a plan for a terminal.

use super::{names, one_line};
use crate::render::counted;
use canonry_app::plan::StepStatus;
use canonry_app::plan::report::PlanReport;
use std::fmt::Write as _;

/// The outcome, the first failure, and what is not complete.
pub fn to_text(outcome: &PlanReport) -> String {
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
