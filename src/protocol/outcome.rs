//! How a call went, as a tool tells its hook, and the episode that is made of it.

use super::call::{HookTool, ToolCall};
use super::response::HookEvent;
use super::shell;
use serde_json::{Map, Value, json};

/// Characters of a command line that an action holds.
const ACTION: usize = 160;
/// Pain and importance of a failure that a hook saw.
const FAILURE: (u8, u8) = (8, 7);

/// How a call went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// Well, as far as is told.
    Success,
    /// Not well, in these words.
    Failure(String),
    /// A person ended it.
    Interrupted,
}

impl CallOutcome {
    /// By what a tool writes to its hook.
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
        let response = ["tool_response", "tool_output"].iter().find_map(|key| input.get(key));
        match response {
            Some(response) if failed(response) => Self::Failure(told(response)),
            _ => Self::Success,
        }
    }
}

/// Whether a tool's response is that of a failure.
fn failed(response: &Value) -> bool {
    let Value::Object(map) = response else {
        return response.as_str().is_some_and(|text| match serde_json::from_str::<Value>(text) {
            Ok(inner @ Value::Object(_)) => failed(&inner),
            _ => status_in(text).is_some_and(|status| status != 0),
        });
    };
    let has =
        |key: &str| map.get(key).is_some_and(|value| !value.is_null() && *value != Value::Bool(false) && value != "");
    let code = ["exit_code", "exitCode", "exit_status"].iter().find_map(|key| map.get(*key)).and_then(Value::as_i64);
    let metadata = map.get("metadata").is_some_and(failed);
    let status = map.get("llmContent").and_then(Value::as_str).and_then(status_at_end);
    has("error")
        || has("is_error")
        || code.or(status).is_some_and(|code| code != 0)
        || map.get("success") == Some(&Value::Bool(false))
        || metadata
}

/// The status in `Exit code: 1` or `Process exited with code 1`, at the beginning of a line.
fn status_in(text: &str) -> Option<i64> {
    let marks = ["Exit code: ", "Exit code ", "Process exited with code "];
    let of =
        |line: &str| marks.iter().find_map(|mark| line.strip_prefix(mark)).and_then(|rest| rest.trim().parse().ok());
    text.lines().find_map(of)
}

/// The status in `Exit Code: 1`, as Gemini CLI has it among the lines that it puts behind a command's own output. It is no
/// error to it, so that it stands nowhere else.
fn status_at_end(text: &str) -> Option<i64> {
    let behind = ["Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: "];
    let lines = text.lines().rev().take_while(|line| behind.iter().any(|mark| line.starts_with(mark)));
    lines.filter_map(|line| line.strip_prefix("Exit Code: ")).find_map(|rest| rest.trim().parse().ok())
}

/// What is worth telling of a response.
fn told(response: &Value) -> String {
    let keys = ["error", "stderr", "llmContent", "returnDisplay", "output", "stdout"];
    let inner = keys.iter().filter_map(|key| response.get(key)).map(text_of).find(|text| !text.is_empty());
    inner.unwrap_or_else(|| text_of(response))
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Object(map) => map.get("message").map_or_else(|| value.to_string(), text_of),
        other => other.to_string(),
    }
}

/// The episode of a call; its time is for the one who writes it down.
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
            put("pain_score", json!(FAILURE.0));
            put("importance", json!(FAILURE.1));
        }
        CallOutcome::Success | CallOutcome::Interrupted => put("result", "success".into()),
    }
    put("context", format!("session {}, {}", session(input).unwrap_or("unknown"), tool.name()).into());
    row
}

/// The session's id.
pub fn session(input: &Value) -> Option<&str> {
    ["session_id", "conversation_id", "conversationId"].iter().find_map(|key| input.get(key)).and_then(Value::as_str)
}

/// Whether an agent stops again after it went on because of a hook, as Claude Code, Codex and Gemini CLI
/// (`stop_hook_active`) and Cursor (`loop_count`) say it.
pub fn comes_again(input: &Value) -> bool {
    input.get("stop_hook_active") == Some(&Value::Bool(true))
        || input.get("loop_count").and_then(Value::as_u64).is_some_and(|count| count > 0)
}

/// Whether an agent stops because a person or an error ended it, as Cursor (`status`) and Antigravity (`error`) say it. To
/// such a one nothing is to be said.
pub fn was_ended(input: &Value) -> bool {
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
    matches!(text("status"), "aborted" | "error") || !text("error").is_empty()
}

fn action(call: &ToolCall) -> String {
    let shown = call.shown();
    let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(ACTION).collect()
}

/// The skill that a call belongs to: one that is called by name, or whose own files are run or read.
fn skill(call: &ToolCall, input: &Value) -> Option<String> {
    if let ToolCall::Other { name, args } = call
        && matches!(name.as_str(), "Skill" | "activate_skill")
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
        ToolCall::Fetch(_) | ToolCall::Other { .. } => Vec::new(),
    };
    own.or_else(|| words.iter().find_map(|word| folder_below_skills(word)))
}

fn folder_below_skills(path: &str) -> Option<String> {
    let mut parts = path.split('/').skip_while(|part| *part != "skills").skip(1);
    let name = parts.next()?;
    parts.next().filter(|_| !name.is_empty()).map(|_| name.to_owned())
}

impl HookTool {
    /// As it is named on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Antigravity => "antigravity",
        }
    }
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;
