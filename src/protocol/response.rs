//! The responses of `canonry hook`, in the format of each tool.

use super::call::HookTool;
use super::verdict::{CallVerdict, Verdict};
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

/// Returns the response without an opinion. Most tools expect no output, but Antigravity treats that as a denial.
pub fn no_opinion(tool: HookTool, event: HookEvent) -> Option<Value> {
    match (tool, event) {
        (HookTool::Antigravity, HookEvent::PreTool) => Some(json!({"decision": "allow"})),
        (HookTool::Antigravity | HookTool::Cursor | HookTool::Gemini, _) => Some(json!({})),
        (HookTool::Claude | HookTool::Codex, _) => None,
    }
}

/// Returns the response for a verdict. If a tool cannot ask, the call is denied. With `allows`, calls that an entry
/// allows are approved explicitly; otherwise the tool applies its own permissions.
pub fn verdict_response(tool: HookTool, verdict: &CallVerdict, allows: bool) -> Option<Value> {
    match verdict.verdict {
        Verdict::Allow if allows => allowed(tool, &verdict.explanation()),
        Verdict::Allow | Verdict::Unlisted => no_opinion(tool, HookEvent::PreTool),
        Verdict::Ask | Verdict::Deny => Some(stopped(tool, verdict, None).document),
    }
}

/// A response that stops a call.
pub struct VerdictAnswer {
    pub document: Value,
    /// The reason in it.
    pub reason: String,
}

/// Returns the response for a verdict that stops a call. A person can allow a denied call by its `code`.
pub fn stopped(tool: HookTool, verdict: &CallVerdict, code: Option<&str>) -> VerdictAnswer {
    let why = verdict.explanation();
    let asks = verdict.verdict == Verdict::Ask;
    if asks && supports_ask(tool) {
        return VerdictAnswer { document: response(tool, "ask", &why), reason: why };
    }
    let mut reason = if asks { format!("a person must approve this and run it: {why}") } else { why };
    if let Some(code) = code {
        reason.push_str(&format!(". A person can allow this call once with `canonry hook allow-once {code}`"));
    }
    VerdictAnswer { document: deny(tool, &reason), reason }
}

/// Checks whether a tool supports `ask`. Codex reports an error and continues, Gemini has no such answer, and Cursor
/// does not always ask.
fn supports_ask(tool: HookTool) -> bool {
    matches!(tool, HookTool::Claude | HookTool::Antigravity)
}

/// Codex has no explicit approval.
fn allowed(tool: HookTool, why: &str) -> Option<Value> {
    if tool == HookTool::Codex { no_opinion(tool, HookEvent::PreTool) } else { Some(response(tool, "allow", why)) }
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
        HookTool::Claude | HookTool::Codex => json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": word,
            "permissionDecisionReason": reason,
        }}),
        HookTool::Gemini | HookTool::Antigravity => json!({"decision": word, "reason": reason}),
        HookTool::Cursor => json!({"permission": word, "user_message": reason, "agent_message": reason}),
    }
}

/// Returns the context for a new session, and a message for the user, if the tool can show one.
pub fn session_context(tool: HookTool, text: &str, for_user: &str) -> Value {
    let mut answer = context(tool, text);
    if !for_user.is_empty() && matches!(tool, HookTool::Claude | HookTool::Codex | HookTool::Gemini) {
        answer["systemMessage"] = format!("canonry: {for_user}").into();
    }
    answer
}

fn context(tool: HookTool, text: &str) -> Value {
    match tool {
        HookTool::Claude | HookTool::Codex | HookTool::Gemini => {
            json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}})
        }
        HookTool::Cursor => json!({"additional_context": text}),
        // A message for this turn. Antigravity treats any other key, including `decision`, as an error that ends the
        // turn.
        HookTool::Antigravity => json!({"injectSteps": [{"ephemeralMessage": text}]}),
    }
}

/// Returns a task that the agent must do before it stops.
pub fn stop_reminder(tool: HookTool, text: &str) -> Value {
    match tool {
        HookTool::Claude | HookTool::Codex => json!({"decision": "block", "reason": text}),
        HookTool::Gemini => json!({"decision": "deny", "reason": text}),
        HookTool::Cursor => json!({"followup_message": text}),
        HookTool::Antigravity => json!({"decision": "continue", "reason": text}),
    }
}
