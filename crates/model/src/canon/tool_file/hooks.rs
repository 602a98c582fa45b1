//! The hooks in a tool file, and the events of each tool.

use super::ToolFile;
use super::kind::{Role, ToolFileReader};
use crate::canon::team_hooks::TEAM_EVENTS;
use canonry_text::node::{MappingEntry, Node};

/// Form of a tool's list of hooks.
#[derive(Clone, Copy, Debug)]
pub struct HookDialect {
    /// The events that the tool knows.
    pub events: &'static [&'static str],
    /// Whether the list of events was read in the tool's program or source. Otherwise only misspelled events are
    /// reported.
    pub is_verified: bool,
    /// The types of handlers; empty if handlers have no type.
    pub types: &'static [&'static str],
    /// Whether an event contains groups with a matcher, which contain the handlers.
    pub has_groups: bool,
    /// Whether timeouts are in milliseconds, and not in seconds.
    pub is_in_milliseconds: bool,
    /// A command needs one of these keys.
    pub command_keys: &'static [&'static str],
    /// The key of the timeout.
    pub timeout_key: &'static str,
}

/// Claude Code 2.1.330: the list in the program.
const CLAUDE_EVENTS: [&str; 33] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionRequest",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
];

/// Gemini CLI 0.61.0: `HookEventName`.
const GEMINI_EVENTS: [&str; 11] = [
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "Notification",
    "PreCompress",
    "SessionStart",
    "SessionEnd",
];

/// Codex 0.169.0: `hooks/list` of its app server lists hooks of these events; it ignores others without a word.
/// <https://github.com/openai/codex/blob/rust-v0.169.0/codex-rs/config/src/hook_config.rs>
const CODEX_EVENTS: [&str; 14] = [
    "PreModelRequest",
    "PostModelRequest",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Interrupt",
];

/// Cursor, from quotations of its documentation (2026-11).
const CURSOR_EVENTS: [&str; 20] = [
    "sessionStart",
    "sessionEnd",
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "subagentStart",
    "subagentStop",
    "beforeShellExecution",
    "afterShellExecution",
    "beforeMCPExecution",
    "afterMCPExecution",
    "beforeReadFile",
    "afterFileEdit",
    "beforeSubmitPrompt",
    "preCompact",
    "stop",
    "afterAgentResponse",
    "afterAgentThought",
    "beforeTabFileRead",
    "afterTabFileEdit",
];

/// GitHub Copilot CLI 1.0.102: the schema of its settings and the names that its runtime reads, among them those of VS Code.
/// <https://docs.github.com/en/copilot/reference/hooks-configuration>
const COPILOT_EVENTS: [&str; 29] = [
    "sessionStart",
    "sessionEnd",
    "userPromptSubmitted",
    "userPromptTransformed",
    "preToolUse",
    "preMcpToolCall",
    "postToolUse",
    "postToolUseFailure",
    "errorOccurred",
    "agentStop",
    "subagentStart",
    "subagentStop",
    "preCompact",
    "permissionRequest",
    "notification",
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PreMcpToolCall",
    "PostToolUse",
    "PostToolUseFailure",
    "ErrorOccurred",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PermissionRequest",
    "Notification",
];

/// Antigravity, from descriptions of its hooks by others (2026-11).
const ANTIGRAVITY_EVENTS: [&str; 5] = ["PreToolUse", "PostToolUse", "PreInvocation", "PostInvocation", "Stop"];

static CLAUDE: HookDialect = HookDialect {
    events: &CLAUDE_EVENTS,
    is_verified: true,
    types: &["command", "prompt", "agent", "http", "mcp_tool"],
    has_groups: true,
    is_in_milliseconds: false,
    command_keys: &["command"],
    timeout_key: "timeout",
};
static GEMINI: HookDialect = HookDialect {
    events: &GEMINI_EVENTS,
    types: &["command", "plugin", "runtime"],
    is_in_milliseconds: true,
    ..CLAUDE
};
static CODEX: HookDialect =
    HookDialect { events: &CODEX_EVENTS, types: &["command", "mcp_tool", "prompt", "agent"], ..CLAUDE };
static CURSOR: HookDialect =
    HookDialect { events: &CURSOR_EVENTS, is_verified: false, types: &[], has_groups: false, ..CLAUDE };
static COPILOT: HookDialect = HookDialect {
    events: &COPILOT_EVENTS,
    is_verified: false,
    types: &["command", "prompt", "http"],
    has_groups: false,
    command_keys: &["bash", "powershell", "command", "exec", "windows", "linux", "osx"],
    timeout_key: "timeoutSec",
    ..CLAUDE
};
static ANTIGRAVITY: HookDialect =
    HookDialect { events: &ANTIGRAVITY_EVENTS, is_verified: false, types: &[], has_groups: false, ..CLAUDE };

static CANONRY: HookDialect = HookDialect { events: &TEAM_EVENTS, types: &[], has_groups: false, ..CLAUDE };

/// Keys of `hooks` besides the events: Codex keeps the state of its hooks there, Gemini CLI its switches.
const OTHER_KEYS: [&str; 4] = ["state", "enabled", "disabled", "notifications"];

/// An event and its hooks.
#[derive(Clone, Copy, Debug)]
pub struct ListedHooks<'a> {
    pub dialect: &'static HookDialect,
    pub entry: &'a MappingEntry,
    /// The entry of the marketplace that has the hooks.
    pub plugin: Option<&'a Node>,
}

/// The events in a file, known or not.
pub fn events(file: &ToolFile) -> Vec<ListedHooks<'_>> {
    let (Some(dialect), Some(root)) = (dialect(file), file.root()) else { return Vec::new() };
    // Antigravity has groups with any name, each with events.
    let lists: Vec<(&Node, Option<&Node>)> = match (file.kind.reader, file.kind.role) {
        (ToolFileReader::Antigravity, _) => {
            root.as_mapping().iter().flat_map(|groups| &groups.entries).map(|group| (&group.value, None)).collect()
        }
        (_, Role::Manifest) => hooks_in_place(root).into_iter().map(|hooks| (hooks, None)).collect(),
        (_, Role::Marketplace) => {
            let plugins = root.get("plugins").and_then(Node::as_sequence).unwrap_or_default().iter();
            plugins
                .flat_map(|plugin| hooks_in_place(plugin).into_iter().map(move |hooks| (hooks, Some(plugin))))
                .collect()
        }
        _ => root.get("hooks").into_iter().map(|hooks| (hooks, None)).collect(),
    };
    let entries = lists.into_iter().filter_map(|(hooks, plugin)| Some((hooks.as_mapping()?, plugin)));
    let entries = entries.flat_map(|(hooks, plugin)| hooks.entries.iter().map(move |entry| (entry, plugin)));
    let events = entries.filter(|(entry, _)| !OTHER_KEYS.contains(&entry.key.as_str()));
    events.map(|(entry, plugin)| ListedHooks { dialect, entry, plugin }).collect()
}

/// The hooks that a manifest, or the entry of a marketplace, defines in place. Others are paths.
fn hooks_in_place(plugin: &Node) -> Vec<&Node> {
    let Some(hooks) = plugin.get("hooks") else { return Vec::new() };
    let definitions = hooks.as_sequence().unwrap_or(std::slice::from_ref(hooks)).iter();
    // Written as in `hooks.json`, the events are one level deeper.
    definitions.map(|hooks| hooks.get("hooks").unwrap_or(hooks)).collect()
}

/// The format of the hooks in a file.
fn dialect(file: &ToolFile) -> Option<&'static HookDialect> {
    match (file.kind.reader, file.kind.role) {
        (ToolFileReader::Claude, Role::Settings | Role::Manifest | Role::Marketplace) => Some(&CLAUDE),
        // Claude Code ignores hooks in the subagents of plugins ("Subagents", 2.1.240).
        (ToolFileReader::Claude, Role::Subagent) if file.kind.in_plugin => None,
        (ToolFileReader::Claude, Role::Skill | Role::Subagent | Role::Command) => {
            let hooks = file.root()?.get("hooks")?.as_mapping()?;
            hooks.entries.iter().any(is_hook_of_claude).then_some(&CLAUDE)
        }
        // Extensions of Gemini CLI use the same path as plugins of Claude Code.
        (ToolFileReader::Claude, Role::Hooks) => {
            let hooks = file.root()?.get("hooks")?.as_mapping()?;
            let has = |events: &[&str]| hooks.entries.iter().any(|entry| events.contains(&entry.key.as_str()));
            let is_gemini = !has(&CLAUDE_EVENTS) && has(&GEMINI_EVENTS);
            // So do plugins of Cursor, whose hooks are in no groups.
            let is_flat = || !hooks.entries.iter().any(|entry| has_groups(&entry.value));
            let is_cursor = file.root()?.get("version").is_some()
                || !has(&CLAUDE_EVENTS) && !is_gemini && has(&CURSOR_EVENTS) && is_flat();
            if is_cursor { None } else { Some(if is_gemini { &GEMINI } else { &CLAUDE }) }
        }
        (ToolFileReader::Gemini, Role::Settings) => Some(&GEMINI),
        (ToolFileReader::Codex, Role::Hooks | Role::Settings) => Some(&CODEX),
        (ToolFileReader::Cursor, Role::Hooks) => Some(&CURSOR),
        (ToolFileReader::Copilot, Role::Hooks) => Some(&COPILOT),
        (ToolFileReader::Antigravity, Role::Hooks) => Some(&ANTIGRAVITY),
        (ToolFileReader::Canonry, Role::Hooks) => Some(&CANONRY),
        _ => None,
    }
}

/// Whether an entry of `hooks` in a frontmatter is meant for Claude Code: it has the exact name of an event, or contains a
/// group of hooks. Other programs use the key for commands of their own (`pre: …`, `notification: …`).
fn is_hook_of_claude(entry: &MappingEntry) -> bool {
    CLAUDE_EVENTS.contains(&entry.key.as_str()) || has_groups(&entry.value)
}

/// Whether the value of an event has a group of hooks.
fn has_groups(value: &Node) -> bool {
    let is_group = |node: &Node| node.get("hooks").is_some() || node.get("matcher").is_some();
    value.as_sequence().is_some_and(|groups| groups.iter().any(is_group))
}

/// Whether a tool with this name in the config has an event.
pub fn is_known_event(tool: &str, event: &str) -> bool {
    let dialect = match tool {
        // Qwen Code and Factory Droid have the events of Claude Code.
        "claude" | "qwen" | "factory" => &CLAUDE,
        "gemini" => &GEMINI,
        "codex" => &CODEX,
        "cursor" => &CURSOR,
        _ => &ANTIGRAVITY,
    };
    dialect.events.contains(&event)
}

impl<'a> ListedHooks<'a> {
    /// The groups of the event; for a tool without groups, none.
    pub fn groups(self) -> &'a [Node] {
        if self.dialect.has_groups { self.entry.value.as_sequence().unwrap_or_default() } else { &[] }
    }

    /// The hooks of the event, each one command or prompt.
    pub fn handlers(self) -> Vec<&'a Node> {
        if self.dialect.has_groups {
            let groups = self.groups().iter();
            groups.filter_map(|group| group.get("hooks")?.as_sequence()).flatten().collect()
        } else {
            // Antigravity groups the hooks of tools, and no others.
            let items = self.entry.value.as_sequence().unwrap_or_default().iter();
            let nested = |item: &'a Node| item.get("hooks").and_then(Node::as_sequence);
            items.flat_map(|item| nested(item).unwrap_or(std::slice::from_ref(item))).collect()
        }
    }

    /// Whether the event concerns calls of tools, so that its matcher is compared with names of tools.
    pub fn is_about_tools(self) -> bool {
        let name = self.entry.key.to_lowercase();
        ["pretooluse", "posttooluse", "posttoolusefailure", "permissionrequest", "beforetool", "aftertool"]
            .contains(&name.as_str())
    }
}
