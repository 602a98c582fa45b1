//! The hooks of each tool: its events, and the form of their list; docs/reference/tools.md has the sources.

use canonry_text::node::{MappingEntry, Node};

/// An event of a tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolEvent {
    pub name: &'static str,
    /// The name in `hooks.yaml` and of `canonry hook`.
    pub canon: Option<&'static str>,
}

const fn team(canon: &'static str, name: &'static str) -> ToolEvent {
    ToolEvent { name, canon: Some(canon) }
}

/// An event that the canon does not have.
const fn own(name: &'static str) -> ToolEvent {
    ToolEvent { name, canon: None }
}

/// The unit of a hook's time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    Seconds,
    Milliseconds,
}

impl TimeUnit {
    pub fn name(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Milliseconds => "milliseconds",
        }
    }

    /// A number of seconds in this unit.
    pub fn of_seconds(self, seconds: u64) -> u64 {
        match self {
            Self::Seconds => seconds,
            Self::Milliseconds => seconds.saturating_mul(1000),
        }
    }
}

/// The keys of a hook that names its event.
#[derive(Clone, Copy, Debug)]
pub struct EventKeys {
    pub event: &'static str,
    /// The object with the type and the command.
    pub action: &'static str,
}

/// Form of a tool's list of hooks.
#[derive(Clone, Copy, Debug)]
pub struct HookForm {
    /// The events that the tool knows.
    pub events: &'static [ToolEvent],
    /// Whether the list of events was read in the tool's program or source. Otherwise only misspelled events are
    /// reported.
    pub is_verified: bool,
    /// The types of handlers; empty if handlers have no type.
    pub types: &'static [&'static str],
    /// Whether an event contains groups with a matcher, which contain the handlers.
    pub has_groups: bool,
    /// Whether the file has lists of events with any name, and not one at `hooks`.
    pub is_named: bool,
    /// The unit of timeouts.
    pub unit: TimeUnit,
    /// A command needs one of these keys.
    pub command_keys: &'static [&'static str],
    /// The key of the timeout.
    pub timeout_key: &'static str,
    /// The key in which a hook names its event, if the list has no events, and the one with its command.
    pub event_keys: Option<EventKeys>,
    /// Whether the file may have comments.
    pub has_comments: bool,
    /// Whether a hook can have a matcher and a time limit.
    pub has_options: bool,
    /// Whether a command of one word is a path from the folder of the file, and not a line for a shell.
    pub has_bare_paths: bool,
}

/// Claude Code 2.1.330: the list in the program.
pub const CLAUDE: HookForm = HookForm {
    events: &[
        team("pre-tool", "PreToolUse"),
        team("post-tool", "PostToolUse"),
        team("failure", "PostToolUseFailure"),
        own("PostToolBatch"),
        team("notification", "Notification"),
        team("prompt", "UserPromptSubmit"),
        own("UserPromptExpansion"),
        team("session-start", "SessionStart"),
        team("session-end", "SessionEnd"),
        team("stop", "Stop"),
        own("StopFailure"),
        team("subagent-start", "SubagentStart"),
        team("subagent-stop", "SubagentStop"),
        team("pre-compact", "PreCompact"),
        own("PostCompact"),
        own("PreModelSwitch"),
        own("PostModelSwitch"),
        own("PermissionRequest"),
        own("PermissionDenied"),
        own("Setup"),
        own("TeammateIdle"),
        own("TaskCreated"),
        own("TaskCompleted"),
        own("Elicitation"),
        own("ElicitationResult"),
        own("ConfigChange"),
        own("WorktreeCreate"),
        own("WorktreeRemove"),
        own("InstructionsLoaded"),
        own("CwdChanged"),
        own("FileChanged"),
        own("DirectoryAdded"),
        own("MessageDisplay"),
    ],
    is_verified: true,
    types: &["command", "prompt", "agent", "http", "mcp_tool"],
    has_groups: true,
    is_named: false,
    unit: TimeUnit::Seconds,
    command_keys: &["command"],
    timeout_key: "timeout",
    event_keys: None,
    has_comments: true,
    has_options: true,
    has_bare_paths: false,
};

/// Qwen Code, which has the events of Claude Code.
pub const QWEN: HookForm = HookForm { unit: TimeUnit::Milliseconds, ..CLAUDE };

/// Gemini CLI 0.61.0: `HookEventName`. Failures arrive at AfterTool.
pub const GEMINI: HookForm = HookForm {
    events: &[
        team("pre-tool", "BeforeTool"),
        team("post-tool", "AfterTool"),
        team("prompt", "BeforeAgent"),
        team("stop", "AfterAgent"),
        own("BeforeModel"),
        own("AfterModel"),
        own("BeforeToolSelection"),
        team("notification", "Notification"),
        team("pre-compact", "PreCompress"),
        team("session-start", "SessionStart"),
        team("session-end", "SessionEnd"),
    ],
    types: &["command", "plugin", "runtime"],
    unit: TimeUnit::Milliseconds,
    ..CLAUDE
};

/// Codex 0.169.0: `hooks/list` of its app server lists hooks of these events; it ignores others without a word.
/// <https://github.com/openai/codex/blob/rust-v0.169.0/codex-rs/config/src/hook_config.rs>
pub const CODEX: HookForm = HookForm {
    events: &[
        own("PreModelRequest"),
        own("PostModelRequest"),
        team("pre-tool", "PreToolUse"),
        own("PermissionRequest"),
        team("post-tool", "PostToolUse"),
        team("pre-compact", "PreCompact"),
        own("PostCompact"),
        team("session-start", "SessionStart"),
        team("session-end", "SessionEnd"),
        team("prompt", "UserPromptSubmit"),
        team("subagent-start", "SubagentStart"),
        team("subagent-stop", "SubagentStop"),
        team("stop", "Stop"),
        own("Interrupt"),
    ],
    types: &["command", "mcp_tool", "prompt", "agent"],
    has_comments: false,
    ..CLAUDE
};

/// Without an event for failures.
pub const FACTORY: HookForm = HookForm {
    events: &[
        team("session-start", "SessionStart"),
        team("session-end", "SessionEnd"),
        team("prompt", "UserPromptSubmit"),
        team("pre-tool", "PreToolUse"),
        team("post-tool", "PostToolUse"),
        team("stop", "Stop"),
        team("subagent-stop", "SubagentStop"),
        team("pre-compact", "PreCompact"),
        team("notification", "Notification"),
    ],
    ..CLAUDE
};

/// Grok Build 1.0.41: the guide in the program, run. It skips other events, and knows those of Cursor by their names.
pub const GROK: HookForm = HookForm {
    events: &[
        team("session-start", "SessionStart"),
        team("session-end", "SessionEnd"),
        team("prompt", "UserPromptSubmit"),
        team("pre-tool", "PreToolUse"),
        team("post-tool", "PostToolUse"),
        team("failure", "PostToolUseFailure"),
        own("PermissionDenied"),
        team("stop", "Stop"),
        own("StopFailure"),
        own("StopCancelled"),
        team("notification", "Notification"),
        team("subagent-start", "SubagentStart"),
        team("subagent-stop", "SubagentStop"),
        own("SubagentEnd"),
        team("pre-compact", "PreCompact"),
        own("PostCompact"),
        own("sessionStart"),
        own("sessionEnd"),
        own("preToolUse"),
        own("postToolUse"),
        own("postToolUseFailure"),
        own("beforeShellExecution"),
        own("beforeMCPExecution"),
        own("beforeReadFile"),
        own("afterShellExecution"),
        own("afterMCPExecution"),
        own("afterFileEdit"),
        own("afterAgentResponse"),
        own("afterAgentThought"),
        own("beforeSubmitPrompt"),
        own("subagentStart"),
        own("subagentStop"),
        own("preCompact"),
        own("stop"),
    ],
    types: &["command", "http"],
    has_comments: false,
    has_bare_paths: true,
    ..CLAUDE
};

/// Cursor, from quotations of its documentation (2026-11).
pub const CURSOR: HookForm = HookForm {
    events: &[
        team("session-start", "sessionStart"),
        team("session-end", "sessionEnd"),
        team("pre-tool", "preToolUse"),
        team("post-tool", "postToolUse"),
        team("failure", "postToolUseFailure"),
        team("subagent-start", "subagentStart"),
        team("subagent-stop", "subagentStop"),
        own("beforeShellExecution"),
        own("afterShellExecution"),
        own("beforeMCPExecution"),
        own("afterMCPExecution"),
        own("beforeReadFile"),
        own("afterFileEdit"),
        team("prompt", "beforeSubmitPrompt"),
        team("pre-compact", "preCompact"),
        team("stop", "stop"),
        own("afterAgentResponse"),
        own("afterAgentThought"),
        own("beforeTabFileRead"),
        own("afterTabFileEdit"),
    ],
    is_verified: false,
    types: &[],
    has_groups: false,
    ..CLAUDE
};

/// GitHub Copilot CLI 1.0.102: the schema of its settings and the names that its runtime reads, among them those of VS Code.
/// <https://docs.github.com/en/copilot/reference/hooks-configuration>
pub const COPILOT: HookForm = HookForm {
    events: &[
        own("sessionStart"),
        own("sessionEnd"),
        own("userPromptSubmitted"),
        own("userPromptTransformed"),
        own("preToolUse"),
        own("preMcpToolCall"),
        own("postToolUse"),
        own("postToolUseFailure"),
        own("errorOccurred"),
        own("agentStop"),
        own("subagentStart"),
        own("subagentStop"),
        own("preCompact"),
        own("permissionRequest"),
        own("notification"),
        own("SessionStart"),
        own("SessionEnd"),
        own("UserPromptSubmit"),
        own("PreToolUse"),
        own("PreMcpToolCall"),
        own("PostToolUse"),
        own("PostToolUseFailure"),
        own("ErrorOccurred"),
        own("Stop"),
        own("SubagentStart"),
        own("SubagentStop"),
        own("PreCompact"),
        own("PermissionRequest"),
        own("Notification"),
    ],
    types: &["command", "prompt", "http"],
    command_keys: &["bash", "powershell", "command", "exec", "windows", "linux", "osx"],
    timeout_key: "timeoutSec",
    ..CURSOR
};

/// Antigravity, from descriptions of its hooks by others (2026-11). It groups the hooks of tools, and no others.
pub const ANTIGRAVITY: HookForm = HookForm {
    events: &[
        team("pre-tool", "PreToolUse"),
        team("post-tool", "PostToolUse"),
        own("PreInvocation"),
        own("PostInvocation"),
        team("stop", "Stop"),
    ],
    is_named: true,
    ..CURSOR
};

/// OpenCode 1.18.33, as seen by a plugin. It has no settings for hooks, and no event at which an agent stops: the last one
/// here arrives after any text.
pub const OPENCODE: HookForm = HookForm {
    events: &[
        team("pre-tool", "tool.execute.before"),
        team("post-tool", "tool.execute.after"),
        own("experimental.text.complete"),
    ],
    ..CURSOR
};

/// Cline 3.0.65: the names of its scripts. It has no settings for hooks, waits only for those of tools, and ignores the output of
/// others.
pub const CLINE: HookForm = HookForm {
    events: &[
        team("pre-tool", "PreToolUse"),
        team("post-tool", "PostToolUse"),
        own("TaskStart"),
        own("TaskResume"),
        own("TaskCancel"),
        own("TaskComplete"),
        own("TaskError"),
        own("UserPromptSubmit"),
        own("PreCompact"),
        own("SessionShutdown"),
    ],
    has_options: false,
    ..CURSOR
};

/// Kiro, from its documentation (<https://kiro.dev/docs/cli/v3/hooks/>, 2026-11), which lets `Stop` end a session here, and
/// a turn elsewhere.
pub const KIRO: HookForm = HookForm {
    events: &[
        team("session-start", "SessionStart"),
        team("prompt", "UserPromptSubmit"),
        team("pre-tool", "PreToolUse"),
        team("post-tool", "PostToolUse"),
        own("Stop"),
        own("PreTaskExec"),
        own("PostTaskExec"),
        own("PostFileCreate"),
        own("PostFileSave"),
        own("PostFileDelete"),
        own("Manual"),
    ],
    types: &["command", "agent"],
    event_keys: Some(EventKeys { event: "trigger", action: "action" }),
    ..CURSOR
};

/// `hooks.yaml`.
pub const TEAM: HookForm = HookForm {
    events: &[
        team("session-start", "session-start"),
        team("session-end", "session-end"),
        team("prompt", "prompt"),
        team("pre-tool", "pre-tool"),
        team("post-tool", "post-tool"),
        team("failure", "failure"),
        team("stop", "stop"),
        team("subagent-start", "subagent-start"),
        team("subagent-stop", "subagent-stop"),
        team("pre-compact", "pre-compact"),
        team("notification", "notification"),
    ],
    is_verified: true,
    ..CURSOR
};

/// Keys beside the events: Codex keeps the state of its hooks there, Gemini CLI its switches.
const OTHER_KEYS: [&str; 4] = ["state", "enabled", "disabled", "notifications"];

impl HookForm {
    /// The event with this name in the tool.
    pub fn event(&self, name: &str) -> Option<&'static ToolEvent> {
        self.events.iter().find(|event| event.name == name)
    }

    /// The tool's name of an event of the canon.
    pub fn name_of(&self, canon: &str) -> Option<&'static str> {
        self.events.iter().find(|event| event.canon == Some(canon)).map(|event| event.name)
    }

    /// The lists of events in a file.
    pub fn lists<'a>(&self, root: &'a Node) -> Vec<&'a Node> {
        if self.is_named {
            root.entries().iter().map(|list| &list.value).collect()
        } else {
            root.get("hooks").into_iter().collect()
        }
    }

    /// The hooks in an entry of an event: those of a group, the action of a hook that names its event, or the entry itself.
    pub fn hooks<'a>(&self, entry: &'a Node) -> &'a [Node] {
        if let Some(keys) = self.event_keys {
            return entry.get(keys.action).map(std::slice::from_ref).unwrap_or_default();
        }
        match entry.get("hooks").and_then(Node::as_sequence) {
            Some(hooks) => hooks,
            None if self.has_groups => &[],
            None => std::slice::from_ref(entry),
        }
    }
}

/// The events in a list of them, known or not.
pub fn events_in(list: &Node) -> impl Iterator<Item = &MappingEntry> {
    list.entries().iter().filter(|entry| !OTHER_KEYS.contains(&entry.key.as_str()))
}

/// Whether an event of the canon concerns calls of tools, so that its matcher is compared with names of tools.
pub fn is_about_tools(canon: &str) -> bool {
    matches!(canon, "pre-tool" | "post-tool" | "failure")
}
