//! Recognises usage limits and overloaded services in the words of each tool.

use super::events::ToolEvents;
use super::reset_time::{ZoneLookup, from_epoch, reset_time};
use canonry_model::canon::timestamp::Timestamp;
use canonry_text::printable::without_sequences;

/// A tool refuses to work until its limit is reset, or its service is less busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageLimit {
    /// When it accepts work again; `None` if it does not say it. An overloaded service may do so at once.
    pub until: Option<Timestamp>,
}

/// The current time, and how to read local times.
#[derive(Clone, Copy)]
pub(super) struct LocalClock<'a> {
    pub now: Timestamp,
    pub zones: ZoneLookup<'a>,
}

/// Parts of error messages, in lower case.
const PHRASES: [&str; 19] = [
    // Claude Code, up to version 1 and from version 2. `has_hit_limit` knows the newer words.
    "usage limit reached",
    "5-hour limit reached",
    "weekly limit reached",
    "session limit reached",
    "opus limit reached",
    "you've reached your usage limit",
    "credit balance is too low",
    // Codex CLI, and Cursor CLI.
    "429 too many requests",
    "rate limit reached for ",
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
    // Qwen Code: `QUOTA_EXHAUSTED_PREFIX` in `packages/core/src/utils/quotaErrorDetection.ts`.
    "quota exhausted: ",
];

/// Error types and codes, also of OpenAI and Anthropic (<https://platform.openai.com/docs/guides/error-codes>,
/// <https://platform.claude.com/docs/en/api/errors>) and of GitHub Copilot (`session.error` in its
/// `session-events.schema.json`).
const CODES: [&str; 13] = [
    "402",
    "429",
    "RESOURCE_EXHAUSTED",
    "TerminalQuotaError",
    "RetryableQuotaError",
    "usage_limit_reached",
    "rate_limit_error",
    "rate_limit",
    "QUOTA_EXHAUSTED",
    "insufficient_quota",
    "rate_limit_exceeded",
    "billing_error",
    "quota",
];

/// Parts of the messages of an overloaded service, in lower case: Claude Code, Codex CLI, Gemini CLI.
const OVERLOADS: [&str; 4] = ["529 overloaded", "overloaded_error", "model is at capacity", "model is overloaded"];
/// Types and codes of its errors: <https://platform.claude.com/docs/en/api/errors>.
const OVERLOAD_CODES: [&str; 3] = ["529", "overloaded_error", "overloaded"];

/// First words of a line in which a tool reports an error as plain text. Codex CLI prints the whole conversation on
/// stderr, so that the words alone prove nothing.
const LINE_STARTS: [&str; 13] = [
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
    "quota exhausted: ",
];
/// First words of the line of a tool that prints its error without a prefix, and little else.
const WHOLE_LINES: [&str; 4] =
    ["claude usage limit reached", "5-hour limit reached", "credit balance is too low", "individual quota reached"];
/// The most lines around an error without a prefix.
const FEW_LINES: usize = 3;
/// The lines at the end of an output that are searched.
const LINES: usize = 40;
/// The lines after an error that can say when the limit is reset.
const CONTEXT: usize = 20;

/// The limit in the error that a tool reports as JSON.
pub(super) fn from_events(events: &ToolEvents, clock: LocalClock<'_>) -> Option<UsageLimit> {
    let reset = events.rejection.and_then(|rejection| from_epoch(rejection.reset?, clock.now));
    let error = events.error.as_ref();
    let has_code = |codes: &[&str]| error.is_some_and(|error| error.code.split(' ').any(|code| codes.contains(&code)));
    let is_limit = has_code(&CODES) || error.is_some_and(|error| is_limit(&error.message));
    if is_limit || events.rejection.is_some() {
        let said = || error.and_then(|error| reset_time(&error.message, clock.now, clock.zones));
        return Some(UsageLimit { until: reset.or_else(said) });
    }
    let is_overload = has_code(&OVERLOAD_CODES) || error.is_some_and(|error| is_overload(&error.message));
    is_overload.then_some(UsageLimit { until: Some(clock.now) })
}

/// The limit in the last lines of a failed tool that prints plain text.
pub(super) fn from_lines(output: &str, clock: LocalClock<'_>) -> Option<UsageLimit> {
    // OpenCode prints colours without a terminal, too.
    let output = without_sequences(output);
    let mut last: Vec<&str> = output.lines().rev().filter(|line| !line.trim().is_empty()).take(LINES).collect();
    last.reverse();
    let is_copilot = last.last().is_some_and(|line| line.starts_with("Resume ") && line.contains(" copilot --resume="));
    let starts_with = |line: &str, starts: &[&str]| {
        let line = normalized(line.trim());
        starts.iter().any(|start| line.starts_with(start))
    };
    let is_whole = |line: &str| starts_with(line, &WHOLE_LINES) || has_hit_limit(&normalized(line.trim())) == Some(0);
    if let Some(message) = waiting(&last) {
        return is_limit(&message).then(|| UsageLimit { until: reset_time(&message, clock.now, clock.zones) });
    }
    // The last error is the one that ended the work.
    let is_error = |line: &&str| starts_with(line, &LINE_STARTS) || is_copilot && http_status(line).is_some();
    let at = match last.iter().rposition(is_error) {
        Some(at) if is_overload(last[at]) => return Some(UsageLimit { until: Some(clock.now) }),
        Some(at) => Some(at).filter(|at| is_limit_line(&normalized(last[*at]))),
        None => last.iter().position(|line| is_whole(line)).filter(|_| last.len() <= FEW_LINES),
    }?;
    let context = last[at..].iter().take(CONTEXT).copied().collect::<Vec<_>>().join("\n");
    Some(UsageLimit { until: reset_time(&context, clock.now, clock.zones) })
}

/// The limit if the whole output is the one line that older versions of Claude Code print.
pub(super) fn from_whole_text(output: &str, clock: LocalClock<'_>) -> Option<UsageLimit> {
    let (words, seconds) = output.trim().split_once('|')?;
    let is_known = words == "Claude AI usage limit reached" && seconds.bytes().all(|b| b.is_ascii_digit());
    is_known.then(|| UsageLimit { until: reset_time(output, clock.now, clock.zones) })
}

/// The error for which a tool waits before it tries again, until it is stopped: Gemini CLI for hours without a message,
/// Qwen Code ten times for a minute or more.
fn waiting(lines: &[&str]) -> Option<String> {
    // Qwen Code says that it was stopped.
    let lines = lines.strip_suffix(&["Operation cancelled."]).unwrap_or(lines);
    if let Some((attempt, error)) = lines.last().and_then(|line| line.strip_prefix("Retrying in ")?.split_once("): "))
        && attempt.contains(" (attempt ")
    {
        return Some(error.to_owned());
    }
    lines.last().filter(|line| line.contains("Retrying after ") && line.ends_with("ms..."))?;
    let is_start = |line: &&str| line.starts_with("Attempt ") && line.contains(" failed: ");
    let at = lines.iter().rposition(is_start)?;
    Some(lines[at..].join("\n"))
}

fn is_limit_line(line: &str) -> bool {
    // In JSON that a tool prints in a line of text, and the status that Claude Code adds.
    const PARTS: [&str; 5] =
        ["resource_exhausted", "\"code\":429", "\"code\": 429", "usage_limit_reached", "rejected (429)"];
    is_limit(line) || PARTS.iter().any(|part| line.contains(part))
}

fn is_limit(message: &str) -> bool {
    let message = normalized(message);
    matches!(http_status(&message), Some("402" | "429"))
        || has_hit_limit(&message).is_some()
        || PHRASES.iter().any(|phrase| message.contains(phrase))
}

fn is_overload(message: &str) -> bool {
    let message = normalized(message);
    http_status(&message) == Some("529") || OVERLOADS.iter().any(|phrase| message.contains(phrase))
}

/// The status with which the libraries of OpenAI and Anthropic begin the message of an error (`makeMessage` in
/// <https://github.com/openai/openai-node/blob/master/src/core/error.ts>), as the clients built on them print it.
fn http_status(message: &str) -> Option<&str> {
    let message = message.trim();
    let message =
        ["[api error: ", "[API Error: "].iter().find_map(|start| message.strip_prefix(start)).unwrap_or(message);
    let (status, _) = message.split_once(' ')?;
    (status.len() == 3 && status.starts_with(['4', '5']) && status.bytes().all(|b| b.is_ascii_digit()))
        .then_some(status)
}

/// Where `you've hit your limit` starts, with the limit's name in it: `session`, `weekly`, `5-hour`, `usage`, `Opus`.
fn has_hit_limit(message: &str) -> Option<usize> {
    const START: &str = "you've hit your ";
    message.match_indices(START).map(|(at, _)| at).find(|at| {
        let mut words = message[at + START.len()..].split_whitespace().take(3);
        words.any(|word| word.trim_end_matches(['.', ',', ':', ';', '!']) == "limit")
    })
}

/// In lower case, with straight apostrophes.
fn normalized(text: &str) -> String {
    text.to_lowercase().replace('\u{2019}', "'")
}
