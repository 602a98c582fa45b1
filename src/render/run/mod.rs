//! Plans and runs of workflows. Texts from plans, workflows, workers and people are data: control characters are escaped.

pub mod changes;
pub mod events;
pub mod graph;
pub mod next;
pub mod report;
pub mod report_page;
pub mod show;
pub mod show_workflow;
pub mod status;
pub mod verify;
pub mod waves;

pub(crate) use canonry_text::printable::one_line;

use crate::render::{counted, time_text};
use canonry_app::Timestamp;
use canonry_app::workflow::Question;
use canonry_runs::exec::{PersonRequest, RunEnd, RunLimit};
use canonry_runs::plan::phases::PhaseState;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Marks an HTML page that canonry may replace.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"canonry run report\">";

/// The number of names that a line lists.
const MAX_NAMES: usize = 3;

/// The phase of a plan, and what is missing for the next one.
pub fn phase_line(plan: &str, phase: &PhaseState) -> String {
    format!("{}: {}\n", one_line(plan), one_line(&phase.to_string()))
}

/// The first names, and the number of the others.
fn names(ids: &[String]) -> String {
    let shown: Vec<Cow<'_, str>> = ids.iter().take(MAX_NAMES).map(|id| one_line(id)).collect();
    let shown = shown.join(", ");
    if ids.len() > MAX_NAMES { format!("{shown} and {} more", ids.len() - MAX_NAMES) } else { shown }
}

/// A line for each step with its reason.
fn reasons<R: AsRef<str>>(steps: &[(String, R)]) -> String {
    let reason = |reason: &R| indented(reason.as_ref()).replace('\n', "\n  ");
    steps.iter().map(|(step, because)| format!("  {}: {}\n", one_line(step), reason(because))).collect()
}

/// Steps and reasons as JSON.
fn reasons_to_json(steps: &[(String, PersonRequest)]) -> Value {
    steps.iter().map(|(step, request)| json!({"step": step, "reason": request.reason, "next": request.next})).collect()
}

/// A number with its noun.
fn many(number: u64, noun: &str) -> String {
    counted(usize::try_from(number).unwrap_or(usize::MAX), noun)
}

/// The first line of a text. The line before quoted output ends with a colon.
fn first_line(text: &str) -> Cow<'_, str> {
    one_line(text.lines().next().unwrap_or_default().trim_end_matches(':'))
}

/// The lines of a text, indented after the first.
fn indented(text: &str) -> String {
    text.lines().map(one_line).collect::<Vec<_>>().join("\n  ")
}

/// A deadline for people.
fn deadline_text(deadline: &str) -> String {
    Timestamp::parse(deadline).map_or_else(|| one_line(deadline).into_owned(), time_text)
}

/// A question with its options and the command that answers it.
fn question_to_text(run: &str, question: &Question) -> String {
    let mut text = format!("{} waits for a person:\n", one_line(&question.name));
    for line in question.message.lines() {
        let _ = writeln!(text, "  {}", one_line(line));
    }
    if let Some(deadline) = &question.deadline {
        let _ = writeln!(text, "  until {}", deadline_text(deadline));
    }
    text + &format!("Decide with `{}`\n", one_line(&question.answer_command(run)))
}

/// End of an execution, and how it can go on.
fn end_to_text(run: &str, end: &RunEnd) -> String {
    let name = one_line(run);
    let reason = one_line(&end.to_string()).into_owned();
    match end {
        RunEnd::Complete => "the workflow is complete".to_owned(),
        RunEnd::Aborted(_) => format!("aborted: {reason}"),
        RunEnd::Limit(RunLimit::MaxSteps(_)) => format!(
            "{reason}: raise `max_steps` in the workflow and run `canonry run exec {name} --migrate`, or end the run with \
             `canonry run abort {name}`"
        ),
        RunEnd::Limit(RunLimit::Iterations(..)) => format!("{reason}; continue with a higher `--iterations`"),
        RunEnd::Limit(RunLimit::Call(_)) | RunEnd::Interrupted => format!("{reason}: run this again to continue"),
        RunEnd::WaitingUntil(_) => format!("{reason}: run this again then"),
        RunEnd::NeedsPerson(steps) => format!("a person is needed:\n{}", reasons(steps).trim_end()),
        RunEnd::Asks(question) => question_to_text(run, question).trim_end().to_owned(),
        RunEnd::SameFailure(tried) => {
            let tried = tried
                .iter()
                .enumerate()
                .map(|(at, reason)| format!("\n  {}. {}", at + 1, indented(reason).replace('\n', "\n   ")));
            let tried: String = tried.collect();
            format!("the same failure happened 3 times in a row, so a person is needed. What was tried:{tried}")
        }
        RunEnd::HeldElsewhere(steps) => format!("others have the rest:\n{}", reasons(steps).trim_end()),
        RunEnd::NotReady(_) => format!("{reason}: run `canonry run show {name}`"),
    }
}

/// The ways to continue a run.
fn continue_line(run: &str) -> String {
    let run = one_line(run);
    format!("Continue with `canonry run exec {run}` (workers), or with `canonry run next {run}` (this session).\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_names_are_counted() {
        let ids: Vec<String> = (1..=5).map(|id| id.to_string()).collect();
        assert_eq!(names(&ids), "1, 2, 3 and 2 more");
        assert_eq!(names(&ids[..3]), "1, 2, 3");
    }
}
