//! What a hook prints, in the words of each tool.

use super::call::Tool;
use super::verdict::{Ruling, Verdict};
use serde_json::{Value, json};

/// What happens, as hooks are called for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
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
pub fn silence(tool: Tool, event: Event) -> Option<Value> {
    match (tool, event) {
        (Tool::Antigravity, Event::PreTool) => Some(json!({"decision": "allow"})),
        (Tool::Antigravity | Tool::Cursor | Tool::Gemini, _) => Some(json!({})),
        (Tool::Claude | Tool::Codex, _) => None,
    }
}

/// What is said of a call. Where a tool cannot ask, it is told not to do it. `allows` is whether what is always allowed is
/// said to be so; otherwise the tool goes by its own permissions.
pub fn ruling(tool: Tool, ruling: &Ruling, allows: bool) -> Option<Value> {
    match ruling.verdict {
        Verdict::Allow if allows => allowed(tool, &ruling.why()),
        Verdict::Allow | Verdict::Unlisted => silence(tool, Event::PreTool),
        Verdict::Ask if asks(tool) => Some(said(tool, "ask", &ruling.why())),
        Verdict::Ask => Some(denied(tool, &format!("a person has to approve of this, and run it: {}", ruling.why()))),
        Verdict::Deny => Some(denied(tool, &ruling.why())),
    }
}

/// Whether a tool asks a person where a hook says so. Codex takes it for an error of the hook and goes on, Gemini has no
/// word for it, and Cursor does not always ask.
fn asks(tool: Tool) -> bool {
    matches!(tool, Tool::Claude | Tool::Antigravity)
}

/// Codex has no word for it.
fn allowed(tool: Tool, why: &str) -> Option<Value> {
    if tool == Tool::Codex { silence(tool, Event::PreTool) } else { Some(said(tool, "allow", why)) }
}

/// That a call is not made.
pub fn denied(tool: Tool, why: &str) -> Value {
    said(tool, "deny", why)
}

fn said(tool: Tool, word: &str, why: &str) -> Value {
    // Antigravity passes over `ask` where a person once allowed such commands for good.
    let word = if (tool, word) == (Tool::Antigravity, "ask") { "force_ask" } else { word };
    let reason = format!("canonry: {}", if why.is_empty() { "by agent/protocols" } else { why });
    match tool {
        Tool::Claude | Tool::Codex => json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": word,
            "permissionDecisionReason": reason,
        }}),
        Tool::Gemini | Tool::Antigravity => json!({"decision": word, "reason": reason}),
        Tool::Cursor => json!({"permission": word, "user_message": reason, "agent_message": reason}),
    }
}

/// What a session begins with.
pub fn context(tool: Tool, text: &str) -> Value {
    match tool {
        Tool::Claude | Tool::Codex | Tool::Gemini => {
            json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}})
        }
        Tool::Cursor => json!({"additional_context": text}),
        // A message for this turn. Any other key, also `decision`, is an error to it that ends the turn.
        Tool::Antigravity => json!({"injectSteps": [{"ephemeralMessage": text}]}),
    }
}

/// Something to do before an agent stops.
pub fn reminder(tool: Tool, text: &str) -> Value {
    match tool {
        Tool::Claude | Tool::Codex => json!({"decision": "block", "reason": text}),
        Tool::Gemini => json!({"decision": "deny", "reason": text}),
        Tool::Cursor => json!({"followup_message": text}),
        Tool::Antigravity => json!({"decision": "continue", "reason": text}),
    }
}
