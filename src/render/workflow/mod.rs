//! Workflows: one file per outcome. Texts from workflows, workers and people are data: control characters are escaped.

pub mod decide;
pub mod graph;
pub mod lessons;
pub mod report;
pub mod report_page;
pub mod run;
pub mod status;
pub mod step;

use crate::render::time_text;
use canonry_app::Timestamp;
use canonry_app::workflow::log::JournalEntry;
use canonry_app::workflow::status::StepOutcome;
use canonry_app::workflow::{Question, approve::ApprovedGate, start::StartedWorkflow};
use canonry_model::canon::worker_usage::WorkerUsage;
use canonry_runs::workflow::log_line::log_entry;
use canonry_text::printable::one_line;
use serde_json::json;

/// The word for a calling loop: no task of the canon is left.
pub const NO_TASKS: &str = "NO_TASKS_AVAILABLE";

/// A started run, and what to do next.
pub fn start_to_text(outcome: Option<&StartedWorkflow>) -> String {
    let Some(outcome) = outcome else { return format!("{NO_TASKS}\n") };
    let run = one_line(&outcome.run);
    let task = outcome.task_id.as_ref().map(|id| format!(" with task {}", one_line(id))).unwrap_or_default();
    format!(
        "{run}: started{task}; the first step is {}\nContinue with `canonry workflow run {run}` (workers), or with `canonry workflow \
         step {run}` (this session).\n",
        one_line(&outcome.first)
    )
}

/// A started run as a document.
pub fn start_to_json(outcome: Option<&StartedWorkflow>) -> String {
    let schema = "canonry/workflow-start/v1";
    let Some(outcome) = outcome else { return format!("{}\n", json!({"schema": schema, "status": NO_TASKS})) };
    let folder = outcome.folder.to_string_lossy();
    let mut document = json!({"schema": schema, "run": outcome.run, "folder": folder, "first": outcome.first});
    if let Some(id) = &outcome.task_id {
        document["task_id"] = json!(id);
    }
    format!("{document}\n")
}

/// A recorded decision.
pub fn approve_to_text(outcome: &ApprovedGate) -> String {
    let gate = one_line(&outcome.gate);
    let option = one_line(&outcome.option);
    let by = one_line(&outcome.by);
    format!("{gate}: {by} decided `{option}`; next: {}\n", one_line(&outcome.next))
}

/// An ended run.
pub fn abort_to_text(run: &str) -> String {
    format!("{}: aborted\n", one_line(run))
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

/// A question with its options and the command that answers it.
fn question_to_text(run: &str, question: &Question) -> String {
    let mut text = format!("{} waits for a person:\n", one_line(&question.name));
    for line in question.message.lines() {
        text.push_str(&format!("  {}\n", one_line(line)));
    }
    if let Some(deadline) = &question.deadline {
        let deadline = Timestamp::parse(deadline).map_or_else(|| one_line(deadline).into_owned(), time_text);
        text.push_str(&format!("  until {deadline}\n"));
    }
    let options: Vec<String> = question.options.iter().map(|option| one_line(option).into_owned()).collect();
    let option = if options.is_empty() { "TEXT".to_owned() } else { options.join("|") };
    text.push_str(&format!("Decide with `canonry workflow approve {} --option {option}`\n", one_line(run)));
    text
}

/// The limit of steps in the workflow, and how the run can go on.
fn step_limit_to_text(run: &str, limit: u64) -> String {
    let run = one_line(run);
    format!(
        "the run took {limit} steps (`max_steps`): raise `max_steps` in the workflow and run `canonry workflow run {run} \
         --migrate`, or end the run with `canonry workflow abort {run}`"
    )
}

/// The journal of a run, a line per entry.
pub fn journal_to_text(entries: &[JournalEntry]) -> String {
    entries.iter().map(|entry| log_entry(entry) + "\n").collect()
}

/// The entries as they are in the journal, one JSON document per line.
pub fn journal_to_json(entries: &[JournalEntry]) -> String {
    entries.iter().map(|entry| serde_json::to_string(entry).expect("an entry has a JSON form") + "\n").collect()
}
