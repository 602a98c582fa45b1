//! Which files of the tools are written besides skills.

use serde::Deserialize;

/// Which files of the tools are written besides skills, by tool. Nothing that people may have is on by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolFilesConfig {
    /// For Claude Code.
    pub claude: ClaudeFiles,
    /// For Gemini CLI.
    pub gemini: GeminiFiles,
    /// For Codex CLI.
    pub codex: CodexFiles,
    /// For Cursor.
    pub cursor: CursorFiles,
    /// For Antigravity.
    pub antigravity: AntigravityFiles,
    /// For all that read the root's `AGENTS.md`.
    pub agents: AgentsFiles,
    /// For git.
    pub git: GitFiles,
}

/// What stands in the root's `AGENTS.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentsMdMode {
    /// Nothing of ours.
    #[default]
    Off,
    /// The canon's `AGENTS.md`.
    Map,
    /// That and every policy.
    Full,
}

/// How a tool comes to read what `AGENTS.md` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContextMode {
    /// Not by us.
    #[default]
    Off,
    /// By an import in the tool's own file.
    Import,
    /// By a copy in the tool's own file.
    Copy,
    /// By a setting of the tool; only of Gemini CLI.
    Setting,
}

/// For git.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GitFiles {
    /// The mirrors in `.gitignore`: they are not committed.
    pub ignore: bool,
    /// The mirrors in `.gitattributes`, as generated
    pub attributes: bool,
}

/// For Claude Code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClaudeFiles {
    /// `CLAUDE.md`
    pub context: ContextMode,
    /// `.mcp.json`
    pub mcp: bool,
    /// `permissions` in `.claude/settings.json`
    pub permissions: bool,
    /// `.claude/agents/`
    pub subagents: bool,
    /// `.claude/commands/`
    pub commands: bool,
    /// `hooks` in `.claude/settings.json`
    pub hooks: bool,
}

/// For Gemini CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GeminiFiles {
    /// `GEMINI.md`, or `context.fileName` in `.gemini/settings.json`
    pub context: ContextMode,
    /// `mcpServers` in `.gemini/settings.json`
    pub mcp: bool,
    /// `.gemini/policies/canonry.toml`
    pub permissions: bool,
    /// `.gemini/agents/`
    pub subagents: bool,
    /// `.gemini/commands/`
    pub commands: bool,
    /// `hooks` in `.gemini/settings.json`
    pub hooks: bool,
    /// `skills.enabled` in `.gemini/settings.json`
    pub skills: bool,
}

/// For Codex CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CodexFiles {
    /// `[mcp_servers.…]` in `.codex/config.toml`
    pub mcp: bool,
    /// `.codex/rules/canonry.rules`
    pub permissions: bool,
    /// `.codex/agents/`
    pub subagents: bool,
    /// `.codex/hooks.json`
    pub hooks: bool,
    /// `agents/openai.yaml` beside each mirrored `SKILL.md`
    pub sidecar: bool,
}

/// For Cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CursorFiles {
    /// `.cursor/rules/canonry*.mdc`
    pub context: bool,
    /// `.cursor/mcp.json`
    pub mcp: bool,
    /// `.cursor/cli.json`
    pub permissions: bool,
    /// `.cursor/agents/`
    pub subagents: bool,
    /// `.cursor/commands/`
    pub commands: bool,
    /// `.cursor/hooks.json`
    pub hooks: bool,
}

/// For Antigravity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AntigravityFiles {
    /// The entry of `.agents/skills.json` that leads to `.antigravity/skills`, where that is a target
    pub pointer: bool,
    /// `.agents/rules/canonry*.md`
    pub context: bool,
    /// `.agents/mcp_config.json`
    pub mcp: bool,
    /// `.agents/agents/`
    pub subagents: bool,
    /// `.agents/workflows/`
    pub commands: bool,
}

impl Default for AntigravityFiles {
    fn default() -> Self {
        Self { pointer: true, context: false, mcp: false, subagents: false, commands: false }
    }
}

/// For all that read the root's `AGENTS.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentsFiles {
    /// `AGENTS.md`
    pub context: AgentsMdMode,
}

/// The keys below `files` and below its tools.
pub(super) fn known_keys(at: &str) -> Option<&'static [&'static str]> {
    Some(match at {
        "files" => &["claude", "gemini", "codex", "cursor", "antigravity", "agents", "git"],
        "files.claude" | "files.cursor" => &["context", "mcp", "permissions", "subagents", "commands", "hooks"],
        "files.gemini" => &["context", "mcp", "permissions", "subagents", "commands", "hooks", "skills"],
        "files.codex" => &["mcp", "permissions", "subagents", "hooks", "sidecar"],
        "files.antigravity" => &["pointer", "context", "mcp", "subagents", "commands"],
        "files.agents" => &["context"],
        "files.git" => &["ignore", "attributes"],
        _ => return None,
    })
}
