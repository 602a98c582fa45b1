//! The tools' names of the events of hooks, beside the names in `hooks.yaml`; docs/reference/tools.md has the sources.

/// The name in `hooks.yaml` and of `canonry hook`, and the tool's own.
pub type EventNames = &'static [(&'static str, &'static str)];

pub(super) const CLAUDE: EventNames = &[
    ("session-start", "SessionStart"),
    ("session-end", "SessionEnd"),
    ("prompt", "UserPromptSubmit"),
    ("pre-tool", "PreToolUse"),
    ("post-tool", "PostToolUse"),
    ("failure", "PostToolUseFailure"),
    ("stop", "Stop"),
    ("subagent-start", "SubagentStart"),
    ("subagent-stop", "SubagentStop"),
    ("pre-compact", "PreCompact"),
    ("notification", "Notification"),
];

/// Failures arrive at AfterTool.
pub(super) const GEMINI: EventNames = &[
    ("session-start", "SessionStart"),
    ("session-end", "SessionEnd"),
    ("prompt", "BeforeAgent"),
    ("pre-tool", "BeforeTool"),
    ("post-tool", "AfterTool"),
    ("stop", "AfterAgent"),
    ("pre-compact", "PreCompress"),
    ("notification", "Notification"),
];

/// Without an event for failures.
pub(super) const CODEX: EventNames = &[
    ("session-start", "SessionStart"),
    ("session-end", "SessionEnd"),
    ("prompt", "UserPromptSubmit"),
    ("pre-tool", "PreToolUse"),
    ("post-tool", "PostToolUse"),
    ("stop", "Stop"),
    ("subagent-start", "SubagentStart"),
    ("subagent-stop", "SubagentStop"),
    ("pre-compact", "PreCompact"),
];

/// Without an event for failures.
pub(super) const FACTORY: EventNames = &[
    ("session-start", "SessionStart"),
    ("session-end", "SessionEnd"),
    ("prompt", "UserPromptSubmit"),
    ("pre-tool", "PreToolUse"),
    ("post-tool", "PostToolUse"),
    ("stop", "Stop"),
    ("subagent-stop", "SubagentStop"),
    ("pre-compact", "PreCompact"),
    ("notification", "Notification"),
];

pub(super) const CURSOR: EventNames = &[
    ("session-start", "sessionStart"),
    ("session-end", "sessionEnd"),
    ("prompt", "beforeSubmitPrompt"),
    ("pre-tool", "preToolUse"),
    ("post-tool", "postToolUse"),
    ("failure", "postToolUseFailure"),
    ("stop", "stop"),
    ("subagent-start", "subagentStart"),
    ("subagent-stop", "subagentStop"),
    ("pre-compact", "preCompact"),
];

pub(super) const ANTIGRAVITY: EventNames =
    &[("pre-tool", "PreToolUse"), ("post-tool", "PostToolUse"), ("stop", "Stop")];
