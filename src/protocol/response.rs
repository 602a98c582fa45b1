//! What a hook prints, in the words of each tool.

use super::call::HookTool;
use super::verdict::{CallVerdict, Verdict};
use serde_json::{Value, json};

/// What happens, as hooks are called for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// A tool is about to be used.
    PreTool,
    /// A tool was used.
    PostTool,
    /// A tool failed.
    Failure,
    /// A session begins.
    SessionStart,
    /// An agent is about to stop.
    Stop,
}

/// What is said where there is nothing to say: most tools take silence for that, Antigravity takes it for a denial.
pub fn no_opinion(tool: HookTool, event: HookEvent) -> Option<Value> {
    match (tool, event) {
        (HookTool::Antigravity, HookEvent::PreTool) => Some(json!({"decision": "allow"})),
        (HookTool::Antigravity | HookTool::Cursor | HookTool::Gemini, _) => Some(json!({})),
        (HookTool::Claude | HookTool::Codex, _) => None,
    }
}

/// What is said of a call. Where a tool cannot ask, it is told not to do it. `allows` is whether what is always allowed is
/// said to be so; otherwise the tool goes by its own permissions.
pub fn verdict_response(tool: HookTool, ruling: &CallVerdict, allows: bool) -> Option<Value> {
    match ruling.verdict {
        Verdict::Allow if allows => allowed(tool, &ruling.why()),
        Verdict::Allow | Verdict::Unlisted => no_opinion(tool, HookEvent::PreTool),
        Verdict::Ask if asks(tool) => Some(said(tool, "ask", &ruling.why())),
        Verdict::Ask => Some(deny(tool, &format!("a person has to approve of this, and run it: {}", ruling.why()))),
        Verdict::Deny => Some(deny(tool, &ruling.why())),
    }
}

/// Whether a tool asks a person where a hook says so. Codex takes it for an error of the hook and goes on, Gemini has no
/// word for it, and Cursor does not always ask.
fn asks(tool: HookTool) -> bool {
    matches!(tool, HookTool::Claude | HookTool::Antigravity)
}

/// Codex has no word for it.
fn allowed(tool: HookTool, why: &str) -> Option<Value> {
    if tool == HookTool::Codex { no_opinion(tool, HookEvent::PreTool) } else { Some(said(tool, "allow", why)) }
}

/// That a call is not made.
pub fn deny(tool: HookTool, why: &str) -> Value {
    said(tool, "deny", why)
}

fn said(tool: HookTool, word: &str, why: &str) -> Value {
    // Antigravity passes over `ask` where a person once allowed such commands for good.
    let word = if (tool, word) == (HookTool::Antigravity, "ask") { "force_ask" } else { word };
    let reason = format!("canonry: {}", if why.is_empty() { "by agent/protocols" } else { why });
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

/// What a session begins with.
pub fn session_context(tool: HookTool, text: &str) -> Value {
    match tool {
        HookTool::Claude | HookTool::Codex | HookTool::Gemini => {
            json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}})
        }
        HookTool::Cursor => json!({"additional_context": text}),
        // A message for this turn. Any other key, also `decision`, is an error to it that ends the turn.
        HookTool::Antigravity => json!({"injectSteps": [{"ephemeralMessage": text}]}),
    }
}

/// Something to do before an agent stops.
pub fn stop_reminder(tool: HookTool, text: &str) -> Value {
    match tool {
        HookTool::Claude | HookTool::Codex => json!({"decision": "block", "reason": text}),
        HookTool::Gemini => json!({"decision": "deny", "reason": text}),
        HookTool::Cursor => json!({"followup_message": text}),
        HookTool::Antigravity => json!({"decision": "continue", "reason": text}),
    }
}
