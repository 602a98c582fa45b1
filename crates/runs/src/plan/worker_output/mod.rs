//! Output of a coding agent at its end: the final message, an embedded report, its usage, and whether it reached a
//! usage limit.
//!
//! Understands the headless modes of Claude Code, Codex CLI, Gemini CLI, Copilot CLI, OpenCode, Qwen Code, Cursor CLI and
//! Antigravity CLI, and plain text.
//! `fixtures/agent/protocols/README.md` lists the sources of each format.

mod embedded_report;
mod events;
mod limit;
mod progress;
mod reset_time;
mod usage;

pub use limit::UsageLimit;
pub use progress::progress;
pub use reset_time::ZoneLookup;

use canonry_model::canon::timestamp::Timestamp;
use canonry_model::canon::worker_usage::WorkerUsage;
use canonry_text::printable::{tail, without_sequences};
use canonry_text::secrets;
use events::ToolEvents;
use limit::LocalClock;

/// The most bytes of the final message that are kept to show it.
const TEXT_LIMIT: usize = 64 << 10;
/// The most bytes of an answer, which other programs read.
const ANSWER_LIMIT: usize = 256 << 10;

/// The result of a worker, as far as its output tells it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    /// The final message without secrets and control characters; of a failed worker, the error of its tool.
    pub text: String,
    /// Last message of the model, without secrets and control characters: the one after its last call of a tool; of a
    /// program that is no known tool, everything on stdout. Empty if it said nothing.
    pub answer: String,
    /// Number of bytes at the beginning of the answer that are left out.
    pub omitted: usize,
    /// The JSON that a tool returns in a field of its own, because it was given a schema. Without secrets.
    pub structured: Option<String>,
    /// A JSON object with `step_id` and `outcome` in the final message, as JSON text without secrets.
    pub report: Option<String>,
    /// The usage limit that ended the work.
    pub limit: Option<UsageLimit>,
    /// The error that the tool reports as JSON, without secrets and control characters.
    pub error: Option<String>,
    /// Whether the tool failed: an error in its output, a status other than 0, or a signal.
    pub is_error: bool,
    /// Usage that the tool reports.
    pub usage: WorkerUsage,
}

/// Interprets the output of a worker. `status` is its exit status, `None` if a signal ended it. `zones` finds time zones,
/// because tools print local times.
///
/// Only errors of the tool itself count as a usage limit, never a message that talks about one.
pub fn interpret(stdout: &str, stderr: &str, status: Option<i32>, now: Timestamp, zones: ZoneLookup<'_>) -> ToolResult {
    let events = ToolEvents::parse(stdout, stderr);
    let is_error = status != Some(0) || events.error.is_some();
    let clock = LocalClock { now, zones };
    let limit = if is_error {
        limit::from_events(&events, clock)
            .or_else(|| if events.is_protocol { None } else { limit::from_lines(stdout, clock) })
            .or_else(|| limit::from_lines(stderr, clock))
            // Gemini CLI says when its quota is reset on stderr, and not in its JSON.
            .map(|limit| UsageLimit { until: limit.until.or_else(|| limit::from_lines(stderr, clock)?.until) })
    } else if !events.is_protocol {
        // `claude -p` once exited with 0 at a limit.
        limit::from_whole_text(stdout, clock)
    } else {
        None
    };
    let message = events.text.as_deref().unwrap_or(if events.is_protocol { "" } else { stdout });
    let report = events.report.clone().or_else(|| embedded_report::find(message));
    let error = events.error.as_ref().map(|error| error.message.as_str()).filter(|error| !error.trim().is_empty());
    let text = error.unwrap_or(message);
    let said = events.last_message.as_deref().unwrap_or(message);
    let structured = events.structured.as_deref().map(secrets::without_secrets);
    let answer = match &structured {
        Some(structured) if said.trim().is_empty() => structured.clone(),
        _ => printable(said),
    };
    let kept = tail(&answer, ANSWER_LIMIT);
    ToolResult {
        text: tail(&printable(text), TEXT_LIMIT).to_owned(),
        omitted: answer.len() - kept.len(),
        answer: kept.to_owned(),
        structured,
        usage: events.usage,
        report: report.map(|report| secrets::without_secrets(&report)),
        error: error.map(|error| tail(&printable(error), TEXT_LIMIT).to_owned()),
        is_error: is_error || limit.is_some(),
        limit,
    }
}

/// A text without secrets and control characters.
fn printable(text: &str) -> String {
    let text = without_sequences(text.trim());
    secrets::redact(&text).chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

#[cfg(test)]
#[path = "recorded_tests.rs"]
mod recorded_tests;
