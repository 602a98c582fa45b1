//! Recognises usage limits in the words of each tool.

use super::events::ToolEvents;
use super::reset_time::{ZoneLookup, from_epoch, reset_time};
use crate::canon::timestamp::Timestamp;

/// A tool refuses to work until its limit is reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageLimit {
    /// When it accepts work again; `None` if it does not say it.
    pub until: Option<Timestamp>,
}

/// The current time, and how to read local times.
#[derive(Clone, Copy)]
pub(super) struct Clock<'a> {
    pub now: Timestamp,
    pub zones: ZoneLookup<'a>,
}

/// Parts of error messages, in lower case.
const PHRASES: [&str; 19] = [
    // Claude Code, up to version 1 and from version 2.
    "usage limit reached",
    "5-hour limit reached",
    "weekly limit reached",
    "session limit reached",
    "opus limit reached",
    "you've hit your limit",
    "you've hit your session limit",
    "you've hit your weekly limit",
    "you've reached your usage limit",
    // Codex CLI, and Cursor CLI.
    "you've hit your usage limit",
    "you hit your spend cap",
    "your workspace is out of credits",
    "quota exceeded. check your plan",
    "the usage limit has been reached",
    // Gemini CLI and Antigravity CLI.
    "you have exhausted your",
    "you exceeded your current quota",
    "resource has been exhausted",
    "individual quota reached",
    "quota exceeded for quota metric",
];

/// Error types and codes.
const CODES: [&str; 8] = [
    "429",
    "RESOURCE_EXHAUSTED",
    "TerminalQuotaError",
    "RetryableQuotaError",
    "usage_limit_reached",
    "rate_limit_error",
    "rate_limit",
    "QUOTA_EXHAUSTED",
];

/// How a line begins in which a tool reports an error as plain text. Codex CLI prints the whole conversation on stderr, so
/// that the words alone prove nothing.
const LINE_STARTS: [&str; 12] = [
    "error: ",
    "⚠ ",
    "✕ ",
    "[api error: ",
    "api error: ",
    "api error ",
    "terminalquotaerror: ",
    "retryablequotaerror: ",
    "error when talking to gemini api ",
    "claude ai usage limit reached",
    "actionrequirederror: ",
    "connecterror: ",
];
/// How the line of a tool begins that prints its error without a prefix, and little else.
const WHOLE_LINES: [&str; 6] = [
    "claude usage limit reached",
    "5-hour limit reached",
    "you've hit your limit",
    "you've hit your session limit",
    "you've hit your weekly limit",
    "individual quota reached",
];
/// The most lines around an error without a prefix.
const FEW_LINES: usize = 3;
/// The lines at the end of an output that are searched.
const LINES: usize = 40;
/// The lines after an error that can say when the limit is reset.
const CONTEXT: usize = 12;

/// The limit in the error that a tool reports as JSON.
pub(super) fn from_events(events: &ToolEvents, clock: Clock<'_>) -> Option<UsageLimit> {
    let announced = events.rejected_until.map(|seconds| seconds.and_then(|seconds| from_epoch(seconds, clock.now)));
    let error = events.error.as_ref();
    let is_limit = error.is_some_and(|error| {
        let has_code = error.code.split(' ').any(|code| CODES.contains(&code));
        has_code || is_limit(&error.message)
    });
    (is_limit || announced.is_some()).then(|| {
        let said = || error.and_then(|error| reset_time(&error.message, clock.now, clock.zones));
        UsageLimit { until: announced.flatten().or_else(said) }
    })
}

/// The limit in the last lines of a failed tool that prints plain text.
pub(super) fn from_lines(output: &str, clock: Clock<'_>) -> Option<UsageLimit> {
    let mut last: Vec<&str> = output.lines().rev().filter(|line| !line.trim().is_empty()).take(LINES).collect();
    last.reverse();
    let starts_with = |line: &str, starts: &[&str]| {
        let line = normalized(line.trim());
        starts.iter().any(|start| line.starts_with(start))
    };
    // The last error is the one that ended the work.
    let at = match last.iter().rposition(|line| starts_with(line, &LINE_STARTS)) {
        Some(at) => Some(at).filter(|at| is_limit_line(&normalized(last[*at]))),
        None => last.iter().position(|line| starts_with(line, &WHOLE_LINES)).filter(|_| last.len() <= FEW_LINES),
    }?;
    let context = last[at..].iter().take(CONTEXT).copied().collect::<Vec<_>>().join("\n");
    Some(UsageLimit { until: reset_time(&context, clock.now, clock.zones) })
}

/// The limit if the whole output is the one line that older versions of Claude Code print.
pub(super) fn from_whole_text(output: &str, clock: Clock<'_>) -> Option<UsageLimit> {
    let (words, seconds) = output.trim().split_once('|')?;
    let is_known = words == "Claude AI usage limit reached" && seconds.bytes().all(|b| b.is_ascii_digit());
    is_known.then(|| UsageLimit { until: reset_time(output, clock.now, clock.zones) })
}

fn is_limit_line(line: &str) -> bool {
    // In JSON that a tool prints in a line of text.
    const PARTS: [&str; 4] = ["resource_exhausted", "\"code\":429", "\"code\": 429", "usage_limit_reached"];
    is_limit(line) || PARTS.iter().any(|part| line.contains(part)) || line.contains("429 too many requests")
}

fn is_limit(message: &str) -> bool {
    let message = normalized(message);
    PHRASES.iter().any(|phrase| message.contains(phrase))
}

/// In lower case, with straight apostrophes.
fn normalized(text: &str) -> String {
    text.to_lowercase().replace('\u{2019}', "'")
}
