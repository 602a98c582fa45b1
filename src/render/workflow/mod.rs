//! Workflows: one file per outcome. Texts from workflows, workers and people are data: control characters are escaped.

pub mod decide;
pub mod lessons;
pub mod run;
pub mod step;

use crate::app::workflow::{Question, approve, start};
use crate::syntax::printable::one_line;
use serde_json::json;

/// A started run, and what to do next.
pub fn start_to_text(outcome: &start::Outcome) -> String {
    let run = one_line(&outcome.run);
    format!(
        "{run}: started; the first step is {}\nContinue with `canonry workflow run {run}` (workers), or with `canonry workflow \
         step {run}` (this session).\n",
        one_line(&outcome.first)
    )
}

/// A started run as a document.
pub fn start_to_json(outcome: &start::Outcome) -> String {
    let folder = outcome.folder.to_string_lossy();
    format!(
        "{}\n",
        json!({"schema": "canonry/workflow-start/v1", "run": outcome.run, "folder": folder, "first": outcome.first})
    )
}

/// A recorded decision.
pub fn approve_to_text(outcome: &approve::Outcome) -> String {
    let (gate, option, by) = (one_line(&outcome.gate), one_line(&outcome.option), one_line(&outcome.by));
    format!("{gate}: {by} decided `{option}`; next: {}\n", one_line(&outcome.next))
}

/// An ended run.
pub fn abort_to_text(run: &str) -> String {
    format!("{}: aborted\n", one_line(run))
}

/// A question with its options and the command that answers it.
fn question_to_text(run: &str, question: &Question) -> String {
    let mut text = format!("{} waits for a person:\n", one_line(&question.name));
    for line in question.message.lines() {
        text.push_str(&format!("  {}\n", one_line(line)));
    }
    if let Some(deadline) = &question.deadline {
        text.push_str(&format!("  until {}\n", one_line(deadline)));
    }
    let options: Vec<String> = question.options.iter().map(|option| one_line(option).into_owned()).collect();
    let option = if options.is_empty() { "TEXT".to_owned() } else { options.join("|") };
    text.push_str(&format!("Decide with `canonry workflow approve {} --option {option}`\n", one_line(run)));
    text
}
