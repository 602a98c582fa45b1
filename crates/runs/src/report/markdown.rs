//! The report as a Markdown page for people.

use super::{MARKER, ReportOutcome, ReportedAttempt, ReportedStatus, ReportedVerification, RunReport};
use crate::exec::RunKind;
use crate::numbers::{seconds_text, usage_text};
use crate::plan::markdown_page::is_placeholder;
use crate::workflow::log_line::destination;
use canonry_text::markup::{markdown_code, markdown_text};
use canonry_text::printable::tail;
use std::fmt::Write as _;

/// Bytes of a text that an attempt left.
const TEXT: usize = 400;

impl RunReport {
    /// The page.
    pub fn to_markdown(&self) -> String {
        let title = markdown_text(self.title.as_deref().unwrap_or(&self.name));
        let reason = self.reason.as_deref().map(|reason| format!(" ({})", markdown_text(reason))).unwrap_or_default();
        let outcome = self.outcome.as_str();
        let usage = usage_text(&self.usage).map(|usage| format!(", {usage}")).unwrap_or_default();
        let progress = self.progress();
        let mut text = format!("# Report: {title}\n\n{MARKER}\n\nOutcome: **{outcome}**{reason}. {progress}{usage}.\n");
        let mut paragraph = |line: String| {
            let _ = writeln!(text, "\n{line}");
        };
        if let Some(workflow) = &self.workflow {
            paragraph(format!("Workflow: {}", markdown_text(workflow)));
        }
        if let Some(goal) = self.goal.as_deref().filter(|goal| !is_placeholder(goal)) {
            let label = if self.kind == RunKind::Workflow { "Task: " } else { "" };
            paragraph(format!("{label}{}", markdown_text(goal)));
        }
        match &self.verification {
            Some(ReportedVerification { path, problem: None }) => {
                paragraph(format!("The verification holds: {}.", markdown_code(path)));
            }
            Some(ReportedVerification { path, problem: Some(problem) }) => {
                paragraph(format!("{}: {}.", markdown_code(path), markdown_text(problem)));
            }
            None if self.kind == RunKind::Plan => paragraph("There is no verification.".to_owned()),
            None => {}
        }
        if let Some(question) = &self.question {
            let message = markdown_text(&question.message);
            paragraph(format!("{} waits for a person: {message}", markdown_code(&question.name)));
        }
        if let Some((step, attempt)) = self.failed_attempt() {
            let error = attempt.error.as_deref().map(|error| format!(": {}", markdown_text(error)));
            let step = markdown_code(&step.name);
            let word = attempt.outcome_word();
            paragraph(format!(
                "First failure: {step}, attempt {} ({word}){}",
                attempt.number,
                error.unwrap_or_default()
            ));
        }
        self.steps_to_markdown(&mut text);
        self.decisions_to_markdown(&mut text);
        self.attempts_to_markdown(&mut text);
        text.push_str("\n## What remains\n\n");
        let is_open =
            |status| matches!(status, ReportedStatus::Pending | ReportedStatus::InProgress | ReportedStatus::Blocked);
        let open = self.steps.iter().filter(|step| is_open(step.status));
        let remains: String =
            open.map(|step| format!("- {} is {}\n", markdown_code(&step.name), step.status.as_str())).collect();
        match self.outcome {
            _ if !remains.is_empty() => text.push_str(&remains),
            ReportOutcome::Success | ReportOutcome::Failure => text.push_str("Nothing.\n"),
            ReportOutcome::Blocked | ReportOutcome::Incomplete => {
                let _ = writeln!(text, "- {}", markdown_text(self.reason.as_deref().unwrap_or("the verification")));
            }
        }
        text
    }

    fn steps_to_markdown(&self, text: &mut String) {
        text.push_str("\n## Steps\n\n| step | status | owner | attempts | time | criteria, reason and next step |\n|---|---|---|---|---|---|\n");
        for step in &self.steps {
            let visit =
                step.visit.filter(|visit| *visit > 1).map(|visit| format!(", visit {visit}")).unwrap_or_default();
            let seconds = step.seconds.map(seconds_text).unwrap_or_default();
            let criteria =
                if step.criteria.is_empty() { std::slice::from_ref(&step.description) } else { &step.criteria };
            let notes = criteria.iter().filter(|text| !text.is_empty()).map(|text| markdown_text(text));
            let next = step.next.as_ref().map(|next| format!("next: {}", markdown_text(&destination(next))));
            let notes: Vec<String> = notes.chain(step.reason.as_deref().map(markdown_text)).chain(next).collect();
            let _ = writeln!(
                text,
                "| {}{visit} | {} | {} | {} | {seconds} | {} |",
                markdown_code(&step.name),
                step.status.as_str(),
                markdown_text(&step.owner),
                step.attempts.len(),
                notes.join("; ")
            );
        }
    }

    fn decisions_to_markdown(&self, text: &mut String) {
        if !self.decisions.is_empty() {
            text.push_str("\n## Decisions\n\n| question | option | by | time | reason |\n|---|---|---|---|---|\n");
        }
        for decision in &self.decisions {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} |",
                markdown_code(&decision.name),
                markdown_code(&decision.option),
                markdown_text(&decision.by),
                decision.at.map(|at| at.to_string()).unwrap_or_default(),
                decision.why.as_deref().map(markdown_text).unwrap_or_default(),
            );
        }
    }

    /// The attempts with their texts, files and commands.
    fn attempts_to_markdown(&self, text: &mut String) {
        text.push_str("\n## Attempts\n\n");
        for (step, attempt) in self.attempts() {
            let part = attempt.part.as_ref().map(|part| format!(", {}", markdown_code(part))).unwrap_or_default();
            let task = attempt.task.map(|task| format!(", task {task}")).unwrap_or_default();
            let time = attempt.ended.map(|time| format!(", {time}")).unwrap_or_default();
            let commit = attempt.commit.as_deref().map(|commit| format!(" ({})", markdown_code(commit)));
            let _ = writeln!(
                text,
                "- {}{part}, attempt {}{task}: **{}**{time}: {}{}",
                markdown_code(&step.name),
                attempt.number,
                attempt.outcome_text(),
                markdown_text(self.text_of(attempt)),
                commit.unwrap_or_default()
            );
            for (name, state) in &attempt.artifacts {
                let _ = writeln!(text, "  - {} ({})", markdown_code(name), markdown_text(state));
            }
            for run in &attempt.commands {
                let _ = writeln!(text, "  - {} exit {}", markdown_code(&run.command), run.exit_status);
            }
        }
    }

    /// A report says first what was done, and an answer decides at its end.
    fn text_of<'a>(&self, attempt: &'a ReportedAttempt) -> &'a str {
        match self.kind {
            RunKind::Plan => attempt.summary().lines().next().unwrap_or_default(),
            RunKind::Workflow => tail(attempt.error.as_deref().unwrap_or(attempt.details.trim()), TEXT),
        }
    }
}
