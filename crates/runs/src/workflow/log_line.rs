//! Journal entries as lines for people.

use super::event::{
    Destination, JournalEntry, QuestionKind, RunEvent, StepOutcome, TaskOutcome, TaskRole, WorkflowEnd,
};
use canonry_text::printable::{head, log_line};
use canonry_text::prompt_builder::printable;

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

/// A task that ended.
#[derive(Clone, Debug)]
pub struct EndedTask<'a> {
    /// The step, or its part.
    pub name: &'a str,
    pub owner: Option<&'a str>,
    pub seconds: f64,
    /// The keywords of the answer.
    pub keywords: &'a [String],
    pub answer: &'a str,
}

/// The most bytes of a summary.
const SUMMARY: usize = 160;

/// The answer of a task below its line in the readable log: agent, duration, keywords and the first line, then all of it. Each
/// line of the answer is indented, so that only entries begin with a time. Empty without an answer.
pub fn task_details(task: &EndedTask<'_>) -> String {
    let answer = printable(task.answer.trim_end());
    let Some(first) = answer.lines().find(|line| !line.trim().is_empty()) else { return String::new() };
    let owner = task.owner.unwrap_or("this session");
    let keywords = if task.keywords.is_empty() { String::new() } else { format!(", {}", task.keywords.join(", ")) };
    let line = format!("{} by {owner}, {:.0} s{keywords}: {}", task.name, task.seconds, first.trim());
    let line = log_line(&line).replace('&', "&amp;").replace('<', "&lt;");
    let shown = head(&line, SUMMARY);
    let more = if shown.len() < line.len() { " …" } else { "" };
    let mut text = format!("<details><summary>{shown}{more}</summary>\n\n");
    for line in answer.lines() {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    text + "\n</details>\n"
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
                (None, None) => "no work is merged".to_owned(),
            };
            let kept = if kept.is_empty() { String::new() } else { format!("; kept: {}", kept.join(", ")) };
            format!("{step}: {merged}{kept}")
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
        RunEvent::RunEnded { end: WorkflowEnd::Complete, .. } => "run complete".to_owned(),
        RunEvent::RunEnded { end: WorkflowEnd::Aborted, reason } => format!("run aborted{}", because(reason)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_below_its_task() {
        let keywords = ["REJECTED".to_owned()];
        let task = EndedTask {
            name: "review",
            owner: Some("QA"),
            seconds: 61.6,
            keywords: &keywords,
            answer: "\n1. A <b> & a \u{1b}[31msecret.\n\n</details>\nREJECTED\n",
        };
        let text = task_details(&task);
        let summary = "<details><summary>review by QA, 62 s, REJECTED: 1. A &lt;b> &amp; a ";
        assert!(text.starts_with(summary) && !text.contains('\u{1b}'), "{text}");
        assert!(text.ends_with("\n    \n    </details>\n    REJECTED\n\n</details>\n"), "{text}");
        assert!(text.lines().all(|line| !line.starts_with(|c: char| c.is_ascii_digit())), "{text}");
        assert_eq!(task_details(&EndedTask { answer: " \n", ..task }), "");
    }
}
