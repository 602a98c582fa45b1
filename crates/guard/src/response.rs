//! The responses of `canonry hook`, in the format of each tool.

use super::verdict::{CallVerdict, Verdict};
use canonry_model::config::{HookFormat, HookQuestions, HookTool};
use serde_json::{Value, json};

/// An event that a hook handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// Before a tool call.
    PreTool,
    /// After a tool call.
    PostTool,
    /// After a failed tool call.
    Failure,
    SessionStart,
    Stop,
}

impl HookEvent {
    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::PreTool => "pre-tool",
            Self::PostTool => "post-tool",
            Self::Failure => "failure",
            Self::SessionStart => "session-start",
            Self::Stop => "stop",
        }
    }
}

/// A response to a tool.
#[derive(Debug, Default)]
pub struct HookResponse {
    /// The JSON document; `None` if the tool gets no answer.
    pub document: Option<Value>,
    /// Why it stops a call; `None` if it does not. A tool that does not get the document must not make the call.
    pub stops: Option<String>,
}

impl HookResponse {
    fn going_on(document: Value) -> Self {
        Self { document: Some(document), stops: None }
    }
}

/// Returns the response without an opinion. Antigravity and Cursor treat a response without a decision as a failed hook
/// and deny the call. Both are reported to apply their own permissions after `allow`.
pub fn no_opinion(tool: HookTool, event: HookEvent) -> HookResponse {
    let document = match (tool.hooks.format, event) {
        (HookFormat::Antigravity, HookEvent::PreTool) => Some(json!({"decision": "allow"})),
        (HookFormat::Cursor, HookEvent::PreTool) => Some(json!({"permission": "allow"})),
        (HookFormat::Antigravity | HookFormat::Cursor | HookFormat::Gemini, _) => Some(json!({})),
        (HookFormat::Claude | HookFormat::Cline | HookFormat::Kiro | HookFormat::OpenCode, _) => None,
    };
    HookResponse { document, stops: None }
}

/// Returns the response for a call that may go on. With `allows`, calls that an entry allows are approved explicitly;
/// otherwise the tool applies its own permissions.
pub fn passed(tool: HookTool, verdict: &CallVerdict, allows: bool) -> HookResponse {
    if allows && tool.hooks.approves && verdict.verdict == Verdict::Allow {
        HookResponse::going_on(response(tool, "allow", &verdict.explanation()))
    } else {
        no_opinion(tool, HookEvent::PreTool)
    }
}

/// Returns the response for a verdict that stops a call. `can_ask`: whether the tool may ask the user itself, see
/// [`supports_ask`]. `way_out` says who can make a denied call.
pub fn stopped(tool: HookTool, verdict: &CallVerdict, way_out: Option<&str>, can_ask: bool) -> HookResponse {
    let why = verdict.explanation();
    let asks = verdict.verdict == Verdict::Ask;
    if asks && can_ask {
        return HookResponse { document: Some(response(tool, "ask", &why)), stops: Some(why) };
    }
    let mut reason = if asks { format!("a person must approve this and run it: {why}") } else { why };
    if let Some(way_out) = way_out {
        reason.push_str(&format!(". {way_out}"));
    }
    deny(tool, reason)
}

/// Checks whether a tool supports `ask`.
pub fn supports_ask(tool: HookTool, has_terminal: bool) -> bool {
    match tool.hooks.questions {
        HookQuestions::Always => true,
        HookQuestions::WithTerminal => has_terminal,
        HookQuestions::Never => false,
    }
}

/// Returns the response that denies a call.
pub fn deny(tool: HookTool, why: String) -> HookResponse {
    HookResponse { document: Some(response(tool, "deny", &why)), stops: Some(why) }
}

fn response(tool: HookTool, word: &str, why: &str) -> Value {
    let reason = format!("canonry: {}", if why.is_empty() { "see agent/protocols" } else { why });
    match tool.hooks.format {
        HookFormat::Claude => json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": word,
            "permissionDecisionReason": reason,
        }}),
        // Gemini CLI shows `systemMessage` in its question, and `reason` only to the model.
        HookFormat::Gemini if word == "ask" => json!({"decision": word, "reason": reason, "systemMessage": reason}),
        // Antigravity ignores `ask` for commands that a person once allowed permanently.
        HookFormat::Antigravity if word == "ask" => json!({"decision": "force_ask", "reason": reason}),
        HookFormat::Gemini | HookFormat::Antigravity | HookFormat::OpenCode => {
            json!({"decision": word, "reason": reason})
        }
        // Ends the run.
        HookFormat::Cline => json!({"cancel": true, "errorMessage": reason}),
        HookFormat::Kiro => Value::String(reason),
        HookFormat::Cursor => json!({"permission": word, "user_message": reason, "agent_message": reason}),
    }
}

/// Returns the context for a new session, and a message for the user, if the tool can show one.
pub fn session_context(tool: HookTool, text: &str, for_user: &str) -> HookResponse {
    let mut answer = context(tool, text);
    if let Value::Object(keys) = &mut answer
        && keys.contains_key("hookSpecificOutput")
        && !for_user.is_empty()
    {
        keys.insert("systemMessage".to_owned(), format!("canonry: {for_user}").into());
    }
    HookResponse::going_on(answer)
}

fn context(tool: HookTool, text: &str) -> Value {
    match tool.hooks.format {
        HookFormat::Claude | HookFormat::Gemini => {
            json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}})
        }
        HookFormat::Cursor | HookFormat::OpenCode => json!({"additional_context": text}),
        HookFormat::Cline => json!({"contextModification": text}),
        // Kiro adds the output of the hook to the context as it is.
        HookFormat::Kiro => Value::String(text.to_owned()),
        // A message for this turn. Antigravity treats any other key, including `decision`, as an error that ends the
        // turn.
        HookFormat::Antigravity => json!({"injectSteps": [{"ephemeralMessage": text}]}),
    }
}

/// Returns a task that the agent must do before it stops.
pub fn stop_reminder(tool: HookTool, text: &str) -> HookResponse {
    HookResponse::going_on(match tool.hooks.format {
        HookFormat::Claude | HookFormat::OpenCode => json!({"decision": "block", "reason": text}),
        HookFormat::Gemini => json!({"decision": "deny", "reason": text}),
        // Neither has such an event.
        HookFormat::Cline | HookFormat::Kiro => context(tool, text),
        HookFormat::Cursor => json!({"followup_message": text}),
        HookFormat::Antigravity => json!({"decision": "continue", "reason": text}),
    })
}
