//! The JSON that tools print in their headless modes.

use super::usage;
use canonry_model::canon::worker_usage::WorkerUsage;
use serde_json::Value as Json;

/// Content of the events of a tool.
#[derive(Debug, Default)]
pub(super) struct ToolEvents {
    /// Whether stdout is the JSON of a known tool.
    pub is_protocol: bool,
    /// The final message.
    pub text: Option<String>,
    /// Of a tool that prints its messages piece by piece, the message after the last call of a tool.
    pub last_message: Option<String>,
    /// A report in a field of its own.
    pub report: Option<String>,
    /// JSON in a field of its own.
    pub structured: Option<String>,
    /// Usage that the tool reports.
    pub usage: WorkerUsage,
    /// The error that ended the work.
    pub error: Option<ToolError>,
    /// The announcement that the tool rejects requests.
    pub rejection: Option<Rejection>,
    /// The parts of messages that a tool prints piece by piece.
    streamed: String,
    /// Where the last message starts in `streamed`.
    message_start: usize,
    /// Whether a tool was called after the last part.
    is_message_over: bool,
}

/// A tool's announcement that it rejects requests until a limit is reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rejection {
    /// The time of the reset in seconds since 1970, if it is known.
    pub reset: Option<i64>,
}

/// An error that a tool reports in a field for errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ToolError {
    pub message: String,
    /// Its type or code, such as `TerminalQuotaError` or `429`.
    pub code: String,
}

impl ToolEvents {
    /// Reads the events on stdout. stderr counts if stdout is empty: Gemini CLI prints the JSON of an error there.
    pub fn parse(stdout: &str, stderr: &str) -> Self {
        let mut events = Self::default();
        events.read(stdout);
        if stdout.trim().is_empty() {
            events.read(stderr);
        }
        if events.text.is_none() && !events.streamed.is_empty() {
            let streamed = std::mem::take(&mut events.streamed);
            let last = streamed.get(events.message_start..).unwrap_or_default();
            events.last_message = Some(last.to_owned());
            // A tool that ends with a call has said something before it.
            events.text = Some(if last.trim().is_empty() { streamed } else { last.to_owned() });
        }
        events
    }

    fn read(&mut self, output: &str) {
        let whole = output.trim();
        match serde_json::from_str::<Json>(whole) {
            Ok(Json::Array(items)) => items.iter().for_each(|item| self.event(item)),
            Ok(item) => self.event(&item),
            Err(_) => {
                let lines = whole.lines().map(str::trim).filter(|line| line.starts_with('{'));
                let lines: Vec<Json> = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
                lines.iter().for_each(|item| self.event(item));
                // A tool can print warnings before its JSON object, which has several lines.
                if lines.is_empty()
                    && let Some(at) = whole.find("\n{")
                    && let Ok(item) = serde_json::from_str(&whole[at..])
                {
                    self.event(&item);
                }
            }
        }
    }

    fn event(&mut self, event: &Json) {
        let kind = text(event, "type").or_else(|| text(event, "event")).unwrap_or_default();
        let is_known = match kind {
            "result" if event.get("status").is_some() => self.gemini_result(event),
            "result" if event.get("exitCode").is_some() => {
                // It can go on with another model after an error.
                if event.get("exitCode").and_then(Json::as_i64) == Some(0) {
                    self.error = None;
                }
                true
            }
            "result" => match event.get("result") {
                // The final event of Antigravity CLI wraps the object that `--output-format json` prints.
                Some(result) if result.is_object() => self.antigravity_result(result),
                _ => self.claude_result(event),
            },
            "assistant" => self.claude_message(event),
            "rate_limit_event" => self.claude_limit(event),
            "item.completed" => self.codex_item(event),
            "turn.completed" => {
                self.error = None;
                self.use_tokens(event.get("usage"));
                true
            }
            "turn.failed" => self.fail(event.get("error")),
            "error" => self.error_event(event),
            "message" if text(event, "role") == Some("assistant") => {
                self.stream(text(event, "content").unwrap_or_default());
                true
            }
            "tool_use" if event.get("tool_name").is_some() => {
                self.is_message_over = true;
                true
            }
            "text" | "tool_use" | "step_start" | "step_finish" => self.opencode_part(kind, event),
            "session.error" => self.fail(event.get("data")),
            "assistant.message" => self.copilot_message(event),
            "step_update" => self.antigravity_step(event),
            "" => self.untyped(event),
            _ => matches!(
                kind,
                "system"
                    | "user"
                    | "init"
                    | "thread.started"
                    | "turn.started"
                    | "item.started"
                    | "tool_call"
                    | "thinking"
            ),
        };
        self.is_protocol |= is_known;
    }

    /// The last event of Claude Code and of Cursor CLI. `subtype` can be `success` although the work failed.
    fn claude_result(&mut self, event: &Json) -> bool {
        let has_failed = event.get("is_error").and_then(Json::as_bool).unwrap_or_default()
            || text(event, "subtype").is_some_and(|subtype| subtype.starts_with("error"));
        let result = text(event, "result").map(str::to_owned);
        self.error = has_failed.then(|| ToolError {
            message: result.clone().or_else(|| first_error(event)).unwrap_or_else(|| "the tool failed".to_owned()),
            code: event.get("api_error_status").map(scalar).unwrap_or_default(),
        });
        if let Some(output) = event.get("structured_output").filter(|value| !value.is_null()) {
            self.structured = Some(output.to_string());
            if super::embedded_report::is_report(output) {
                self.report = Some(output.to_string());
            }
        }
        self.usage = usage::of_claude(event);
        self.text = result.or_else(|| self.text.take());
        event.get("is_error").is_some() || event.get("subtype").is_some() || self.text.is_some()
    }

    /// The last message counts if no result follows.
    fn claude_message(&mut self, event: &Json) -> bool {
        let Some(message) = event.get("message") else { return false };
        let parts = message.get("content").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let parts = parts.iter().filter(|part| text(part, "type") == Some("text"));
        let words: String = parts.filter_map(|part| text(part, "text")).collect();
        if let Some(code) = text(event, "error") {
            self.error = Some(ToolError { message: words, code: code.to_owned() });
        } else if !words.is_empty() {
            self.text = Some(words);
        }
        true
    }

    fn claude_limit(&mut self, event: &Json) -> bool {
        let Some(info) = event.get("rate_limit_info") else { return false };
        let is_rejected = matches!(text(info, "status"), Some("rejected" | "exceeded"));
        // With paid overage, the tool goes on.
        let is_overage = matches!(text(info, "overageStatus"), Some("allowed" | "allowed_warning"))
            || info.get("isUsingOverage").and_then(Json::as_bool).unwrap_or_default();
        let rejection = || Rejection { reset: info.get("resetsAt").and_then(Json::as_i64) };
        self.rejection = (is_rejected && !is_overage).then(rejection);
        true
    }

    fn codex_item(&mut self, event: &Json) -> bool {
        let Some(item) = event.get("item") else { return false };
        if matches!(text(item, "type").or_else(|| text(item, "item_type")), Some("agent_message" | "assistant_message"))
        {
            self.text = text(item, "text").map(str::to_owned);
        }
        true
    }

    /// An `error` of Codex CLI ends the work, unless `turn.completed` follows. One of Gemini CLI can be a warning. OpenCode
    /// has the error in a field: <https://github.com/anomalyco/opencode/blob/dev/packages/opencode/src/cli/cmd/run.ts>
    fn error_event(&mut self, event: &Json) -> bool {
        if text(event, "severity") == Some("warning") {
            return true;
        }
        self.fail(event.pointer("/error/data").or(Some(event)))
    }

    /// `opencode run --format json`.
    fn opencode_part(&mut self, kind: &str, event: &Json) -> bool {
        let Some(part) = event.get("part") else { return false };
        match kind {
            "text" => self.stream(text(part, "text").unwrap_or_default()),
            "tool_use" => self.is_message_over = true,
            "step_finish" => self.usage = std::mem::take(&mut self.usage).plus(usage::of_opencode(part)),
            _ => {}
        }
        true
    }

    /// `copilot --output-format json`, whose package has `schemas/session-events.schema.json`. Subagents have an `agentId`.
    fn copilot_message(&mut self, event: &Json) -> bool {
        let Some(data) = event.get("data") else { return false };
        if event.get("agentId").is_none() {
            self.stream(text(data, "content").unwrap_or_default());
            let requests = data.get("toolRequests").and_then(Json::as_array);
            self.is_message_over |= requests.is_some_and(|requests| !requests.is_empty());
        }
        true
    }

    fn gemini_result(&mut self, event: &Json) -> bool {
        self.use_tokens(event.get("stats"));
        match text(event, "status") {
            Some("success") => {
                self.error = None;
                true
            }
            Some("error") => self.fail(event.get("error")),
            _ => false,
        }
    }

    fn antigravity_step(&mut self, event: &Json) -> bool {
        let Some(step) = event.get("step_update") else { return false };
        self.is_message_over |= step.get("tool_name").is_some();
        self.stream(text(step, "text_delta").unwrap_or_default());
        true
    }

    /// A part of a message.
    fn stream(&mut self, part: &str) {
        if !part.is_empty() && std::mem::take(&mut self.is_message_over) {
            self.message_start = self.streamed.len();
        }
        self.streamed.push_str(part);
    }

    fn use_tokens(&mut self, counts: Option<&Json>) {
        if let Some(counts) = counts {
            self.usage = usage::from_counts(counts);
        }
    }

    fn antigravity_result(&mut self, result: &Json) -> bool {
        let response = text(result, "response").filter(|response| !response.is_empty());
        match text(result, "status") {
            Some("SUCCESS") => self.error = None,
            Some("ERROR") => drop(self.fail(result.get("error"))),
            _ => return false,
        }
        self.use_tokens(result.get("usage"));
        self.text = response.map(str::to_owned);
        true
    }

    /// The single object of Gemini CLI and of Antigravity CLI, and the events of Codex CLI before version 0.44.
    fn untyped(&mut self, event: &Json) -> bool {
        if event.get("conversation_id").is_some() && event.get("status").is_some() {
            return self.antigravity_result(event);
        }
        if let Some(message) = event.get("msg") {
            match text(message, "type") {
                Some("agent_message") => self.text = text(message, "message").map(str::to_owned),
                Some("task_complete") => self.error = None,
                Some("error") => drop(self.fail(Some(message))),
                Some("token_count") => self.use_tokens(message.pointer("/info/total_token_usage").or(Some(message))),
                _ => {}
            }
            return true;
        }
        let is_gemini = event.get("response").is_some() || event.get("stats").is_some();
        if let Some(response) = text(event, "response") {
            self.text = Some(response.to_owned());
        }
        if let Some(stats) = event.get("stats") {
            self.usage = usage::of_gemini(stats);
        }
        match event.get("error") {
            Some(error) if error.is_object() => self.fail(Some(error)),
            _ => is_gemini,
        }
    }

    fn fail(&mut self, error: Option<&Json>) -> bool {
        let Some(error) = error else { return false };
        let message = error.as_str().or_else(|| text(error, "message")).unwrap_or_default().to_owned();
        let keys = ["type", "code", "status", "statusCode", "errorType", "errorCode"];
        let code = keys.into_iter().filter_map(|key| error.get(key));
        let code: Vec<String> = code.map(scalar).filter(|code| code != "error").collect();
        self.error = Some(ToolError { message, code: code.join(" ") });
        true
    }
}

fn text<'a>(value: &'a Json, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

fn scalar(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// The first of the errors that Claude Code lists if there is no result.
fn first_error(event: &Json) -> Option<String> {
    let first = event.get("errors").and_then(Json::as_array).and_then(|errors| errors.first());
    let one = first.or_else(|| event.get("error"))?;
    one.as_str().or_else(|| text(one, "message")).map(str::to_owned).or_else(|| Some(one.to_string()))
}
