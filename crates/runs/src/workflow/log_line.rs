//! Journal entries as lines for people.

use super::event::{Destination, JournalEntry, QuestionKind, RunEnd, RunEvent, StepOutcome, TaskOutcome, TaskRole};
use canonry_text::printable::{head, log_line};

/// The most bytes of a line's text.
const LINE: usize = 400;

/// An entry as one line without a line ending: the time, and what happened.
pub fn log_entry(entry: &JournalEntry) -> String {
    let text = describe(&entry.event);
    let text = log_line(text.trim());
    let shown = head(&text, LINE);
    let more = if shown.len() < text.len() { " …" } else { "" };
    format!("{} {shown}{more}", entry.at)
}

fn describe(event: &RunEvent) -> String {
    let because = |reason: &Option<String>| reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    match event {
        RunEvent::RunStarted(start) => {
            let version = start.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
            let task = if start.task.is_empty() { String::new() } else { format!(": {}", start.task) };
            format!("run {} of {}{version} starts{task}", start.run, start.workflow)
        }
        RunEvent::Resumed { basis, .. } => format!("resumed on the {basis} definition"),
        RunEvent::IterationStarted { iteration, reason } => format!("iteration {iteration} starts{}", because(reason)),
        RunEvent::StepStarted { step, visit: 1 } => format!("{step}: starts"),
        RunEvent::StepStarted { step, visit } => format!("{step}: starts, visit {visit}"),
        RunEvent::TaskStarted { number, step, attempt, role, owner, .. } => {
            let owner = owner.as_deref().unwrap_or("this session");
            format!("{step}: task {number}{} by {owner}, attempt {attempt}", role_text(*role))
        }
        RunEvent::WorkerStarted { number, .. } => format!("task {number}: worker started"),
        RunEvent::TaskEnded { number, end } => {
            let result = match end.result {
                TaskOutcome::Done => "done".to_owned(),
                TaskOutcome::Failed => format!("failed{}", because(&end.error)),
                TaskOutcome::Limit => {
                    format!("usage limit, waits until {}", end.until.as_deref().unwrap_or("an unknown time"))
                }
                TaskOutcome::Stopped => "stopped".to_owned(),
            };
            // Short times say nothing.
            let time = if end.seconds >= 10.0 { format!(" after {:.0} s", end.seconds) } else { String::new() };
            format!("task {number}: {result}{time}")
        }
        RunEvent::CandidatesSettled { step, task, error, kept, .. } => {
            let merged = match (task, error) {
                (_, Some(error)) => format!("nothing is merged: {error}"),
                (Some(task), None) => format!("the work of task {task} is merged"),
                (None, None) => "no candidate is chosen".to_owned(),
            };
            let kept = if kept.is_empty() { String::new() } else { format!("; kept: {}", kept.join(", ")) };
            format!("candidates of {step}: {merged}{kept}")
        }
        RunEvent::StepRetried { step, attempt, reason } => format!("{step}: attempt {attempt} follows: {reason}"),
        RunEvent::StepEnded { step, outcome, reason, next, keywords, .. } => {
            let outcome = match outcome {
                StepOutcome::Done => "done",
                StepOutcome::Failed => "failed",
                StepOutcome::Rejected => "rejected",
                StepOutcome::Skipped => "skipped",
            };
            let words = if keywords.is_empty() { String::new() } else { format!(" ({})", keywords.join(", ")) };
            format!("{step}: {outcome}{words}, next: {}{}", destination(next), because(reason))
        }
        RunEvent::PersonAsked(question) => {
            let kind = match question.kind {
                QuestionKind::Gate => "gate",
                QuestionKind::Step => "step of a person",
                QuestionKind::Failure => "failed step",
            };
            format!("{}: waits for a person ({kind}): {}", question.name, question.message)
        }
        RunEvent::PersonAnswered { name, option, by, why, next, .. } => {
            format!("{name}: {by} decides `{option}`, next: {}{}", destination(next), because(why))
        }
        RunEvent::GateExpired { name, action, next, .. } => {
            format!("{name}: nobody answered in time, {action}, next: {}", destination(next))
        }
        RunEvent::Notified { gate, message, .. } => format!("{gate}: {message}"),
        RunEvent::RunEnded { end: RunEnd::Complete, .. } => "run complete".to_owned(),
        RunEvent::RunEnded { end: RunEnd::Aborted, reason } => format!("run aborted{}", because(reason)),
        RunEvent::Note { text } => format!("note: {text}"),
    }
}

fn role_text(role: TaskRole) -> String {
    match role {
        TaskRole::Step => String::new(),
        TaskRole::Child(at) => format!(" (part {})", at + 1),
        TaskRole::Candidate(number) => format!(" (candidate {number})"),
        TaskRole::Generator => " (generator)".to_owned(),
        TaskRole::Evaluator => " (evaluator)".to_owned(),
    }
}

/// A destination for people.
pub fn destination(next: &Destination) -> String {
    match next {
        Destination::Step(step) => step.clone(),
        Destination::Gate(gate) => format!("gate {gate}"),
        Destination::Person => "a person decides".to_owned(),
        Destination::Complete => "end".to_owned(),
        Destination::Abort => "abort".to_owned(),
    }
}
