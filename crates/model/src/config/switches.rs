//! The switches of each tool below `files:` in the config, as the table of tools says.

use super::files::{AgentsMdMode, ContextMode, ToolFilesConfig};
use crate::tools::tool_formats::{ContextForm, HookFormat};
use crate::tools::{ContextReading, EvidenceLevel, ToolRow};

/// A switch below `files:`, and its effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The id of the tool; `agents` stands for every tool that reads `AGENTS.md`.
    pub tool: &'static str,
    /// The key below the tool.
    pub key: &'static str,
    /// The value that turns it on.
    pub value: &'static str,
    /// Effect, for a comment in the config.
    pub effect: String,
    pub requires: SwitchRequirement,
}

impl Switch {
    /// Whether a config turns it on.
    pub fn is_on(&self, files: &ToolFilesConfig) -> bool {
        let tool = files.tool(self.tool);
        match (self.tool, self.key) {
            ("agents", "context") => files.agents.context != AgentsMdMode::Off,
            ("agents", "rules") => files.agents.rules,
            (_, "context") => tool.context != ContextMode::Off,
            (_, "permissions") => tool.permissions,
            (_, "hooks") => tool.hooks,
            (_, "mcp") => tool.mcp,
            (_, "subagents") => tool.subagents,
            (_, "commands") => tool.commands,
            (_, "team_hooks") => tool.team_hooks,
            (_, "rules") => tool.rules,
            (_, "ignore") => tool.ignore,
            (_, "aiexclude") => tool.aiexclude,
            _ => false,
        }
    }
}

/// Requirement for a switch to have an effect, and to be turned on without a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchRequirement {
    /// Instructions and permissions, which a new canon has.
    Scaffold,
    /// A file or folder of the canon.
    Canon(&'static str),
    /// It stays off, for this reason.
    Unsupported(&'static str),
}

const IGNORED_POLICIES: &str = "Gemini CLI ignores the policies of a workspace; the hooks enforce them";
/// The reason of a protection that may not hold.
pub const REPORTED: &str = "only reports say that the tool obeys; turn it on once you have seen it";
/// The reason of hooks that cannot deny a call alone.
const ENDS_RUN: &str = "a denied call ends the run of the tool; turn it on if you want that";
/// The reason of a tool that reads the root instructions itself.
pub const NATIVE: &str = "the tool reads AGENTS.md";

/// The switches of a tool, as its row says.
pub fn switches_of_tool(row: &'static ToolRow) -> Vec<Switch> {
    use SwitchRequirement::{Canon, Scaffold, Unsupported};
    if !row.is_written() {
        return Vec::new();
    }
    let mut switches: Vec<Switch> = context(row).into_iter().collect();
    let mut add = |key, effect: String, requires| {
        switches.push(Switch { tool: row.id, key, value: "true", effect, requires });
    };
    // A protection that may not hold is worse than none.
    let proven = |evidence| match evidence {
        EvidenceLevel::Reported => Unsupported(REPORTED),
        EvidenceLevel::Verified => Scaffold,
    };
    if let Some(permissions) = &row.permissions {
        let path = permissions.commands.unwrap_or(permissions.path);
        let requires = match row.id {
            "gemini" => Unsupported(IGNORED_POLICIES),
            _ => proven(permissions.evidence),
        };
        add("permissions", format!("permissions in {path}"), requires);
    }
    if let Some(hooks) = &row.hooks {
        let requires = match hooks.format {
            HookFormat::Cline => Unsupported(ENDS_RUN),
            _ => proven(hooks.evidence),
        };
        add("hooks", format!("hooks in {}: guards, memory, context", hooks.path), requires);
    }
    if let Some(mcp) = row.mcp {
        add("mcp", format!("MCP servers in {}, from agent/mcp.json", mcp.path), Canon("mcp.json"));
    }
    if let Some(subagents) = row.subagents.filter(|subagents| subagents.format.is_some()) {
        add("subagents", format!("{}, from agent/agents", subagents.folder), Canon("agents"));
    }
    if let Some(commands) = row.commands {
        add("commands", format!("{}, from agent/commands", commands.folder), Canon("commands"));
    }
    if let Some(hooks) = &row.hooks {
        let requires = match hooks.format {
            HookFormat::Cline => Unsupported(ENDS_RUN),
            _ => Canon("hooks.yaml"),
        };
        let path = hooks.team_path.unwrap_or(hooks.path);
        add("team_hooks", format!("hooks in {path}, from agent/hooks.yaml"), requires);
    }
    if let Some((folder, _)) = row.rule_folder() {
        add("rules", format!("{folder}, from agent/rules"), Canon("rules"));
    }
    if let Some(file) = row.ignore {
        add("ignore", format!("{file}, from agent/ignore"), Canon("ignore"));
    }
    let own_form = match row.id {
        "claude" => Some(("ignore", "denied reads in .claude/settings.json")),
        "gemini" => Some(("aiexclude", ".aiexclude for Gemini Code Assist")),
        _ => None,
    };
    if let Some((key, effect)) = own_form {
        add(key, format!("{effect}, from agent/ignore"), Canon("ignore"));
    }
    switches
}

/// The switch for the root instructions in a file of the tool's own.
fn context(row: &'static ToolRow) -> Option<Switch> {
    let own = row.own_context()?;
    let file = own.file;
    let reading = row.reads_agents_md();
    let (value, effect) = match (row.context_setting, own.mode) {
        (Some(setting), _) => ("setting", format!("{} names AGENTS.md as context", setting.file)),
        (_, ContextForm::Import(_)) if reading == Some(ContextReading::WithoutOwn) => {
            ("import", format!("{file}, if there is one, imports AGENTS.md"))
        }
        (_, ContextForm::Text) => ("true", format!("{file} contains agent/AGENTS.md")),
        (_, ContextForm::Import(_)) => ("true", format!("{file} imports AGENTS.md")),
        (_, ContextForm::Rules(folder)) => {
            ("true", format!("{file}/canonry*{}: AGENTS.md and each policy", folder.extension))
        }
    };
    let is_native = reading == Some(ContextReading::Always);
    let requires = if is_native { SwitchRequirement::Unsupported(NATIVE) } else { SwitchRequirement::Scaffold };
    Some(Switch { tool: row.id, key: "context", value, effect, requires })
}
