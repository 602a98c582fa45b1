//! The outcome of a call as reported to a hook, and the episode recorded for it.

use super::call::ToolCall;
use super::response::HookEvent;
use super::shell;
use super::verdict::CallVerdict;
use canonry_model::config::HookTool;
use serde_json::{Map, Value, json};

/// The maximum length of an episode's action in characters.
const MAX_ACTION_CHARS: usize = 160;
/// Pain score and importance of a failed call.
const FAILURE_PAIN: u8 = 8;
const FAILURE_IMPORTANCE: u8 = 7;

/// The result of a call that the hook denied.
const DENIED: &str = "denied";
const DENIAL_PAIN: u8 = 3;

/// The outcome of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// No failure was reported.
    Success,
    /// A failure with its message.
    Failure(String),
    /// A person interrupted the call.
    Interrupted,
}

impl CallOutcome {
    /// The outcome of a call that is known to have failed.
    pub fn failed(input: &Value) -> Self {
        Self::Failure(input.get("tool_response").map(failure_text).unwrap_or_default())
    }

    /// Reads the outcome from the input of a hook.
    pub fn from_hook_input(event: HookEvent, input: &Value) -> Self {
        let text = |key: &str| input.get(key).map(text_of).filter(|text| !text.is_empty());
        if input.get("is_interrupt") == Some(&Value::Bool(true)) || text("failure_type").as_deref() == Some("aborted") {
            return Self::Interrupted;
        }
        let error = ["error", "error_message"].iter().find_map(|key| text(key));
        if event == HookEvent::Failure {
            return Self::Failure(
                error.or_else(|| text("tool_response")).or_else(|| text("tool_output")).unwrap_or_default(),
            );
        }
        if let Some(error) = error {
            return Self::Failure(error);
        }
        let of_cline = || input.pointer("/tool_result/output").or_else(|| input.get("postToolUse"));
        let response = ["tool_response", "tool_output"].iter().find_map(|key| input.get(key)).or_else(of_cline);
        match response {
            Some(response) if failed(response) => Self::Failure(failure_text(response)),
            _ => Self::Success,
        }
    }
}

/// Checks whether the response of a tool reports a failure.
fn failed(response: &Value) -> bool {
    // Cline passes a result for each command or file.
    if let Value::Array(results) = response {
        return results.iter().any(|result| result.is_object() && failed(result));
    }
    let Value::Object(map) = response else {
        return response.as_str().is_some_and(|text| match serde_json::from_str::<Value>(text) {
            Ok(inner @ Value::Object(_)) => failed(&inner),
            _ => status_in_header(text).is_some_and(|status| status != 0),
        });
    };
    let has =
        |key: &str| map.get(key).is_some_and(|value| !value.is_null() && *value != Value::Bool(false) && value != "");
    let code =
        ["exit_code", "exitCode", "exit_status", "exit"].iter().find_map(|key| map.get(*key)).and_then(Value::as_i64);
    let metadata = map.get("metadata").is_some_and(failed);
    let status = map.get("llmContent").and_then(Value::as_str).and_then(status_at_end);
    has("error")
        || has("is_error")
        || code.or(status).is_some_and(|code| code != 0)
        || map.get("success") == Some(&Value::Bool(false))
        || metadata
}

/// Returns the status in the lines that some versions of Codex CLI write before the output of a command: `Exit code: 1`
/// or `Process exited with code 1`, then `Output:`. Text without such a header is the bare output, in which a line of
/// that form is the command's own.
fn status_in_header(text: &str) -> Option<i64> {
    let lines: Vec<&str> = text.lines().take(MAX_HEADER_LINES).collect();
    let header = lines.get(..lines.iter().position(|line| line.trim_end() == "Output:")?)?;
    let is_header = |line: &&str| HEADER_MARKS.iter().any(|mark| line.starts_with(mark));
    if !header.iter().all(is_header) {
        return None;
    }
    let marks = ["Exit code: ", "Process exited with code "];
    let of =
        |line: &&str| marks.iter().find_map(|mark| line.strip_prefix(mark)).and_then(|rest| rest.trim().parse().ok());
    header.iter().find_map(of)
}

/// The lines of a header of Codex CLI.
const HEADER_MARKS: [&str; 6] = [
    "Exit code: ",
    "Wall time: ",
    "Chunk ID: ",
    "Process exited with code ",
    "Original token count: ",
    "Total output lines: ",
];
/// The longest header, with its last line.
const MAX_HEADER_LINES: usize = 8;

/// Returns the status in `Exit Code: 1`, which Gemini CLI appends after the output of a command. It does not report a
/// non-zero status anywhere else.
fn status_at_end(text: &str) -> Option<i64> {
    let behind = ["Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: "];
    let lines =
        without_untrusted_mark(text).lines().rev().take_while(|line| behind.iter().any(|mark| line.starts_with(mark)));
    lines.filter_map(|line| line.strip_prefix("Exit Code: ")).find_map(|rest| rest.trim().parse().ok())
}

/// Returns a text of Gemini CLI without the tags that mark it as untrusted since 0.49. Gemini CLI escapes the closing tag
/// within the text.
fn without_untrusted_mark(text: &str) -> &str {
    let inner = text.trim_end().strip_prefix("<untrusted_context>\n");
    inner.and_then(|inner| inner.strip_suffix("\n</untrusted_context>")).unwrap_or(text)
}

/// Returns the most useful text of a failed response.
fn failure_text(response: &Value) -> String {
    let keys = ["error", "stderr", "llmContent", "returnDisplay", "output_for_prompt", "output", "stdout"];
    if let Value::Array(results) = response {
        return results.iter().find(|result| failed(result)).map(failure_text).unwrap_or_default();
    }
    let inner = keys.iter().filter_map(|key| response.get(key)).map(text_of).find(|text| !text.is_empty());
    let text = inner.unwrap_or_else(|| text_of(response));
    without_untrusted_mark(&text).to_owned()
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Object(map) => map.get("message").map_or_else(|| value.to_string(), text_of),
        other => other.to_string(),
    }
}

/// Builds the episode of a call, without a time.
pub fn episode(tool: HookTool, call: &ToolCall, outcome: &CallOutcome, input: &Value) -> Map<String, Value> {
    let mut row = Map::new();
    let mut put = |key: &str, value: Value| drop(row.insert(key.to_owned(), value));
    if let Some(skill) = skill(call, input) {
        put("skill", skill.into());
    }
    put("action", action(call).into());
    match outcome {
        CallOutcome::Failure(error) => {
            put("result", "failure".into());
            put("detail", error.as_str().into());
            put("pain_score", json!(FAILURE_PAIN));
            put("importance", json!(FAILURE_IMPORTANCE));
        }
        CallOutcome::Success | CallOutcome::Interrupted => put("result", "success".into()),
    }
    // The action and the detail quote the call and its output.
    put("source", "hook".into());
    put("context", format!("session {}, {}", session(input).unwrap_or("unknown"), tool.row.id).into());
    row
}

/// Builds the episode of a denied call, without a time.
pub fn denial(tool: HookTool, call: &ToolCall, verdict: &CallVerdict, input: &Value) -> Map<String, Value> {
    let mut row = episode(tool, call, &CallOutcome::Success, input);
    row.insert("result".to_owned(), DENIED.into());
    row.insert("detail".to_owned(), verdict.explanation().into());
    row.insert("pain_score".to_owned(), json!(DENIAL_PAIN));
    row
}

/// Checks whether a log already has the same denial in the same session.
pub fn is_logged_denial(log: &[u8], denial: &Map<String, Value>) -> bool {
    let is_same = |line: &[u8]| {
        let row: Option<Map<String, Value>> = serde_json::from_slice(line).ok();
        row.is_some_and(|row| ["action", "result", "context"].iter().all(|key| row.get(*key) == denial.get(*key)))
    };
    let denied = log.split(|byte| *byte == b'\n').filter(|line| contains(line, DENIED.as_bytes()));
    denied.into_iter().any(is_same)
}

fn contains(line: &[u8], word: &[u8]) -> bool {
    line.windows(word.len()).any(|window| window == word)
}

/// Returns the id of the session.
pub fn session(input: &Value) -> Option<&str> {
    ["session_id", "conversation_id", "conversationId", "taskId"]
        .iter()
        .find_map(|key| input.get(key))
        .and_then(Value::as_str)
}

/// Checks whether the agent stops again after a hook made it continue: `stop_hook_active` of Claude Code, Codex and
/// Gemini CLI, `stopHookActive` of Grok Build, `loop_count` of Cursor.
pub fn stops_again(input: &Value) -> bool {
    ["stop_hook_active", "stopHookActive"].iter().any(|key| input.get(key) == Some(&Value::Bool(true)))
        || input.get("loop_count").and_then(Value::as_u64).is_some_and(|count| count > 0)
}

/// Checks whether a person or an error stopped the agent: `status` of Cursor, `error` of Antigravity, `reason` of Grok
/// Build at the end of a session. Such an agent must not be made to continue.
pub fn was_interrupted(input: &Value) -> bool {
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
    matches!(text("status"), "aborted" | "error")
        || matches!(text("reason"), "shutdown" | "channel_closed")
        || !text("error").is_empty()
}

fn action(call: &ToolCall) -> String {
    let shown = call.to_string();
    let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_ACTION_CHARS).collect()
}

/// Checks whether a call starts a skill by its name.
pub fn is_skill_call(call: &ToolCall) -> bool {
    matches!(call, ToolCall::Other { name, .. } if matches!(name.as_str(), "Skill" | "skill" | "activate_skill"))
}

/// Returns the skill that a call belongs to: the skill is called by name, or its files are executed or read.
fn skill(call: &ToolCall, input: &Value) -> Option<String> {
    if let ToolCall::Other { args, .. } = call
        && is_skill_call(call)
    {
        return ["skill", "name", "command"].iter().find_map(|key| args.get(key)?.as_str()).map(str::to_owned);
    }
    let own = input.get("skill").and_then(Value::as_str).map(str::to_owned);
    let words: Vec<String> = match call {
        ToolCall::Shell { command, .. } => {
            let script = shell::read(command, None);
            script.commands.into_iter().flat_map(|simple| simple.words).map(|word| word.text).collect()
        }
        ToolCall::Read(paths) | ToolCall::Edit(paths) => paths.clone(),
        ToolCall::Fetch(_) | ToolCall::PowerShell { .. } | ToolCall::Other { .. } => Vec::new(),
    };
    own.or_else(|| words.iter().find_map(|word| folder_below_skills(word)))
}

fn folder_below_skills(path: &str) -> Option<String> {
    let mut parts = path.split('/').skip_while(|part| *part != "skills").skip(1);
    let name = parts.next()?;
    parts.next().filter(|_| !name.is_empty()).map(|_| name.to_owned())
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
