//! Plans and runs of workflows. Texts from plans, workflows, workers and people are data: control characters are escaped.

pub mod changes;
pub mod events;
pub mod graph;
pub mod next;
pub mod plan_page;
pub mod report;
pub mod show;
pub mod status;
pub mod verify;
pub mod waves;
pub mod workflow_page;

pub(crate) use canonry_text::printable::one_line;

use crate::render::{counted, time_text};
use canonry_app::Timestamp;
use canonry_app::runs::open::answer_command;
use canonry_app::workflow::Question;
use canonry_app::workflow::status::StepOutcome;
use canonry_model::canon::worker_usage::WorkerUsage;
use canonry_runs::plan::phases::PhaseState;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Marks a Markdown report that canonry wrote.
pub use canonry_runs::plan::combined::MARKER;

/// Marks an HTML page that canonry may replace.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"canonry run report\">";

/// The word for a calling loop: no task of the canon is left.
pub const NO_TASKS: &str = "NO_TASKS_AVAILABLE";

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
    steps.iter().map(|(step, reason)| format!("  {}: {}\n", one_line(step), one_line(reason.as_ref()))).collect()
}

/// Steps and reasons as JSON.
fn reasons_to_json(steps: &[(String, String)]) -> Value {
    steps.iter().map(|(step, reason)| json!({"step": step, "reason": reason})).collect()
}

/// A number with its noun.
fn many(number: u64, noun: &str) -> String {
    counted(usize::try_from(number).unwrap_or(usize::MAX), noun)
}

/// The first line of a text. The line before quoted output ends with a colon.
fn first_line(text: &str) -> Cow<'_, str> {
    one_line(text.lines().next().unwrap_or_default().trim_end_matches(':'))
}

/// Word for the result of a step.
fn outcome_word(outcome: StepOutcome) -> &'static str {
    match outcome {
        StepOutcome::Done => "done",
        StepOutcome::Failed => "failed",
        StepOutcome::Rejected => "rejected",
        StepOutcome::Skipped => "skipped",
    }
}

/// Tokens and cost, as far as they are known.
fn cost_text(usage: &WorkerUsage) -> Option<String> {
    let cost = usage.cost_usd.map(|cost| format!("${cost:.2}"));
    let tokens = |tokens: Option<u64>, noun: &str| tokens.map(|tokens| format!("{tokens} tokens {noun}"));
    let parts = [tokens(usage.input_tokens, "in"), tokens(usage.output_tokens, "out"), cost];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
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
    text + &format!("Decide with `{}`\n", one_line(&answer_command(run, question)))
}

/// The limit of steps in the workflow, and how the run can go on.
fn step_limit_to_text(run: &str, limit: u64) -> String {
    let run = one_line(run);
    format!(
        "the run took {limit} steps (`max_steps`): raise `max_steps` in the workflow and run `canonry run exec {run} \
         --migrate`, or end the run with `canonry run abort {run}`"
    )
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
