//! The responses of `canonry hook`, in the format of each tool.

use super::verdict::{CallVerdict, Verdict};
use canonry_model::config::HookTool;
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

/// Returns the response without an opinion. Antigravity and Cursor treat a response without a decision as a failed hook
/// and deny the call. Both are reported to apply their own permissions after `allow`.
pub fn no_opinion(tool: HookTool, event: HookEvent) -> Option<Value> {
    match (tool, event) {
        (HookTool::Antigravity, HookEvent::PreTool) => Some(json!({"decision": "allow"})),
        (HookTool::Cursor, HookEvent::PreTool) => Some(json!({"permission": "allow"})),
        (HookTool::Antigravity | HookTool::Cursor | HookTool::Gemini, _) => Some(json!({})),
        (
            HookTool::Claude
            | HookTool::Codex
            | HookTool::Qwen
            | HookTool::Factory
            | HookTool::Grok
            | HookTool::Cline
            | HookTool::Kiro
            | HookTool::OpenCode,
            _,
        ) => None,
    }
}

/// Returns the response for a call that may go on. With `allows`, calls that an entry allows are approved explicitly;
/// otherwise the tool applies its own permissions.
pub fn passed(tool: HookTool, verdict: &CallVerdict, allows: bool) -> Option<Value> {
    match verdict.verdict {
        Verdict::Allow if allows => allowed(tool, &verdict.explanation()),
        _ => no_opinion(tool, HookEvent::PreTool),
    }
}

/// A response that stops a call.
#[derive(Debug)]
pub struct VerdictAnswer {
    pub document: Value,
    /// The reason in it.
    pub reason: String,
}

/// Returns the response for a verdict that stops a call. `can_ask`: whether the tool may ask the user itself, see
/// [`supports_ask`]. `way_out` says who can make a denied call.
pub fn stopped(tool: HookTool, verdict: &CallVerdict, way_out: Option<&str>, can_ask: bool) -> VerdictAnswer {
    let why = verdict.explanation();
    let asks = verdict.verdict == Verdict::Ask;
    if asks && can_ask {
        return VerdictAnswer { document: response(tool, "ask", &why), reason: why };
    }
    let mut reason = if asks { format!("a person must approve this and run it: {why}") } else { why };
    if let Some(way_out) = way_out {
        reason.push_str(&format!(". {way_out}"));
    }
    VerdictAnswer { document: deny(tool, &reason), reason }
}

/// Checks whether a tool supports `ask`. Codex reports an error and continues, Cursor does not always ask, Grok Build does not
/// ask if it approves every call, Cline and Kiro know only denials, and a plugin of OpenCode can only deny (1.18.33 never calls
/// `permission.ask`). Gemini CLI
/// supports it since 0.36; older versions continue. Without a terminal it waits for an answer forever, at least in 0.61.
pub fn supports_ask(tool: HookTool, has_terminal: bool) -> bool {
    match tool {
        HookTool::Claude | HookTool::Antigravity | HookTool::Factory => true,
        HookTool::Gemini | HookTool::Qwen => has_terminal,
        HookTool::Codex | HookTool::Cursor | HookTool::Grok | HookTool::Cline | HookTool::Kiro | HookTool::OpenCode => {
            false
        }
    }
}

/// Codex, Cline, Kiro and OpenCode have no explicit approval, and Grok Build asks its user in any case.
fn allowed(tool: HookTool, why: &str) -> Option<Value> {
    match tool {
        HookTool::Codex | HookTool::Grok | HookTool::Cline | HookTool::Kiro | HookTool::OpenCode => {
            no_opinion(tool, HookEvent::PreTool)
        }
        _ => Some(response(tool, "allow", why)),
    }
}

/// Returns the response that denies a call.
pub fn deny(tool: HookTool, why: &str) -> Value {
    response(tool, "deny", why)
}

fn response(tool: HookTool, word: &str, why: &str) -> Value {
    // Antigravity ignores `ask` for commands that a person once allowed permanently.
    let word = if (tool, word) == (HookTool::Antigravity, "ask") { "force_ask" } else { word };
    let reason = format!("canonry: {}", if why.is_empty() { "see agent/protocols" } else { why });
    match tool {
        HookTool::Claude | HookTool::Codex | HookTool::Qwen | HookTool::Factory | HookTool::Grok => {
            json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": word,
                "permissionDecisionReason": reason,
            }})
        }
        // Gemini CLI shows `systemMessage` in its question, and `reason` only to the model.
        HookTool::Gemini if word == "ask" => json!({"decision": word, "reason": reason, "systemMessage": reason}),
        HookTool::Gemini | HookTool::Antigravity | HookTool::OpenCode => json!({"decision": word, "reason": reason}),
        // Ends the run.
        HookTool::Cline => json!({"cancel": true, "errorMessage": reason}),
        HookTool::Kiro => Value::String(reason),
        HookTool::Cursor => json!({"permission": word, "user_message": reason, "agent_message": reason}),
    }
}

/// Returns the context for a new session, and a message for the user, if the tool can show one.
pub fn session_context(tool: HookTool, text: &str, for_user: &str) -> Value {
    let mut answer = context(tool, text);
    if let Value::Object(keys) = &mut answer
        && keys.contains_key("hookSpecificOutput")
        && !for_user.is_empty()
    {
        keys.insert("systemMessage".to_owned(), format!("canonry: {for_user}").into());
    }
    answer
}

fn context(tool: HookTool, text: &str) -> Value {
    match tool {
        HookTool::Claude | HookTool::Codex | HookTool::Gemini | HookTool::Qwen | HookTool::Factory | HookTool::Grok => {
            json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}})
        }
        HookTool::Cursor | HookTool::OpenCode => json!({"additional_context": text}),
        HookTool::Cline => json!({"contextModification": text}),
        // Kiro adds the output of the hook to the context as it is.
        HookTool::Kiro => Value::String(text.to_owned()),
        // A message for this turn. Antigravity treats any other key, including `decision`, as an error that ends the
        // turn.
        HookTool::Antigravity => json!({"injectSteps": [{"ephemeralMessage": text}]}),
    }
}

/// Returns a task that the agent must do before it stops.
pub fn stop_reminder(tool: HookTool, text: &str) -> Value {
    match tool {
        HookTool::Claude
        | HookTool::Codex
        | HookTool::Qwen
        | HookTool::Factory
        | HookTool::Grok
        | HookTool::OpenCode => {
            json!({"decision": "block", "reason": text})
        }
        HookTool::Gemini => json!({"decision": "deny", "reason": text}),
        // Neither has such an event.
        HookTool::Cline | HookTool::Kiro => context(tool, text),
        HookTool::Cursor => json!({"followup_message": text}),
        HookTool::Antigravity => json!({"decision": "continue", "reason": text}),
    }
}
