//! The responses of `canonry hook`, in the format of each tool.

use super::call::HookTool;
use super::verdict::{CallVerdict, Verdict};
use crate::config::{HookAskMode, HooksConfig};
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
        (HookTool::Claude | HookTool::Codex, _) => None,
    }
}

/// Returns the response for a verdict. If a tool cannot ask, the call is denied. With `hooks.allow`, calls that an entry
/// allows are approved explicitly; otherwise the tool applies its own permissions. `has_terminal`: whether a person can
/// see a question of the tool.
pub fn verdict_response(
    tool: HookTool,
    verdict: &CallVerdict,
    hooks: &HooksConfig,
    has_terminal: bool,
) -> Option<Value> {
    match verdict.verdict {
        Verdict::Allow if hooks.allow => allowed(tool, &verdict.explanation()),
        Verdict::Allow | Verdict::Unlisted => no_opinion(tool, HookEvent::PreTool),
        Verdict::Ask if hooks.ask == HookAskMode::Native && supports_ask(tool, has_terminal) => {
            Some(response(tool, "ask", &verdict.explanation()))
        }
        Verdict::Ask => Some(deny(tool, &format!("a person must approve this and run it: {}", verdict.explanation()))),
        Verdict::Deny => Some(deny(tool, &verdict.explanation())),
    }
}

/// Checks whether a tool supports `ask`. Codex reports an error and continues, Cursor does not always ask. Gemini CLI
/// supports it since 0.36; older versions continue. Without a terminal it waits for an answer forever, at least in 0.61.
fn supports_ask(tool: HookTool, has_terminal: bool) -> bool {
    match tool {
        HookTool::Claude | HookTool::Antigravity => true,
        HookTool::Gemini => has_terminal,
        HookTool::Codex | HookTool::Cursor => false,
    }
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
        // Gemini CLI shows `systemMessage` in its question, and `reason` only to the model.
        HookTool::Gemini if word == "ask" => json!({"decision": word, "reason": reason, "systemMessage": reason}),
        HookTool::Gemini | HookTool::Antigravity => json!({"decision": word, "reason": reason}),
        HookTool::Cursor => json!({"permission": word, "user_message": reason, "agent_message": reason}),
    }
}

/// Returns the context for a new session.
pub fn session_context(tool: HookTool, text: &str) -> Value {
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
