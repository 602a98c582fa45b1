//! The report of a plan or a run for a terminal.

use super::{continue_line, one_line, question_to_text};
use crate::render::{counted, time_text};
use canonry_app::runs::report::WrittenReport;
use canonry_runs::exec::RunKind;
use canonry_runs::numbers::{seconds_text, usage_text};
use canonry_runs::plan::markdown_page::is_placeholder;
use canonry_runs::report::{ReportOutcome, ReportedStep, ReportedVerification, RunReport};
use canonry_runs::workflow::log_line::destination;
use canonry_text::printable::head;
use std::fmt::Write as _;

/// The most steps that are listed.
pub(super) const MAX_STEPS: usize = 20;
/// Bytes of a text on a line.
const LINE: usize = 160;

/// The outcome, the first failure, the last steps, and what people decided.
pub fn to_text(outcome: &WrittenReport) -> String {
    let report = &outcome.report;
    let mut text = heading(report);
    match &report.verification {
        Some(ReportedVerification { path, problem }) => {
            let state = problem.as_deref().unwrap_or("holds");
            let _ = writeln!(text, "verification: {} ({})", one_line(state), one_line(path));
        }
        None if report.kind == RunKind::Plan => text.push_str("verification: none\n"),
        None => {}
    }
    if let Some((step, attempt)) = report.failed_attempt() {
        let failed = attempt.commands.iter().find(|run| run.exit_status != 0);
        let why = match (&attempt.error, failed) {
            (Some(error), _) => format!(": {}", one_line(error.lines().next().unwrap_or_default())),
            (None, Some(run)) => format!(": `{}` exited with {}", one_line(&run.command), run.exit_status),
            (None, None) => String::new(),
        };
        let step = one_line(&step.name);
        let _ = writeln!(text, "first failure: {step}, attempt {} ({}){why}", attempt.number, attempt.outcome_word());
    }
    let hidden = report.steps.len().saturating_sub(MAX_STEPS);
    if hidden > 0 {
        let _ = writeln!(
            text,
            "  … {hidden} earlier; see `canonry run report {} --format markdown`",
            one_line(&report.name)
        );
    }
    report.steps.iter().skip(hidden).for_each(|step| text.push_str(&step_to_text(step)));
    if !report.decisions.is_empty() {
        let _ = writeln!(text, "{} by people:", counted(report.decisions.len(), "decision"));
    }
    for decision in &report.decisions {
        let at = decision.at.map(|at| format!(" at {}", time_text(at))).unwrap_or_default();
        let why = decision.why.as_ref().map(|why| format!(": {}", one_line(why))).unwrap_or_default();
        let name = one_line(&decision.name);
        let option = one_line(&decision.option);
        let by = one_line(&decision.by);
        let _ = writeln!(text, "  {name}: {by} decided `{option}`{at}{why}");
    }
    if let Some(question) = &report.question {
        text.push_str(&question_to_text(&report.name, question));
    } else if report.outcome == ReportOutcome::Incomplete {
        text.push_str(&continue_line(&report.name));
    }
    text + &written(outcome)
}

fn heading(report: &RunReport) -> String {
    let reason = report.reason.as_ref().map(|reason| format!(" ({})", short(reason))).unwrap_or_default();
    let outcome = report.outcome.as_str();
    let mut text = format!("{}: {outcome}{reason}; {}\n", one_line(&report.name), report.progress());
    if let Some(workflow) = &report.workflow {
        let started = report.started.map(|started| format!(", started {}", time_text(started))).unwrap_or_default();
        let _ = writeln!(text, "workflow: {}{started}", one_line(workflow));
    }
    if let Some(goal) = report.goal.as_deref().filter(|goal| !is_placeholder(goal)) {
        let label = if report.kind == RunKind::Workflow { "task" } else { "goal" };
        let _ = writeln!(text, "{label}: {}", short(goal));
    }
    if let Some(usage) = usage_text(&report.usage) {
        let _ = writeln!(text, "used: {usage}");
    }
    text
}

/// A step on a line, and its reason on another one.
pub(super) fn step_to_text(step: &ReportedStep) -> String {
    let mut text = format!("  {}: {}", one_line(&step.name), step.status.as_str().replace('_', " "));
    if let Some(seconds) = step.seconds {
        let _ = write!(text, " after {}", seconds_text(seconds));
    }
    if let Some(visit) = step.visit.filter(|visit| *visit > 1) {
        let _ = write!(text, ", visit {visit}");
    }
    let attempts = step.attempts.last().map_or(0, |last| last.number);
    if attempts > 1 {
        let _ = write!(text, ", {attempts} attempts");
    }
    if !step.keywords.is_empty() {
        let _ = write!(text, " ({})", one_line(&step.keywords.join(", ")));
    }
    if let Some(next) = &step.next {
        let _ = write!(text, ", next: {}", one_line(&destination(next)));
    }
    if let Some(usage) = usage_text(&step.usage) {
        let _ = write!(text, "; {usage}");
    }
    if let Some(reason) = &step.reason {
        let _ = write!(text, "\n    {}", short(reason));
    }
    text + "\n"
}

/// The beginning of a text on a line.
pub(super) fn short(text: &str) -> String {
    let kept = head(text.trim(), LINE);
    format!("{}{}", one_line(kept), if kept.len() < text.trim().len() { "…" } else { "" })
}

/// The files that were written, and the page that was kept.
pub fn written(outcome: &WrittenReport) -> String {
    let mut text = String::new();
    for path in &outcome.written {
        let _ = writeln!(text, "wrote     {path}");
    }
    if let Some(path) = &outcome.kept {
        let _ = writeln!(text, "kept      {path}, which a person wrote");
    }
    text
}
