//! The tool files to write besides skills.

use serde::Deserialize;

/// The tool files to write besides skills, per tool. Files that a user may already have are off by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolFilesConfig {
    pub claude: ClaudeFiles,
    pub gemini: GeminiFiles,
    pub codex: CodexFiles,
    pub cursor: CursorFiles,
    pub antigravity: AntigravityFiles,
    pub copilot: CopilotFiles,
    pub windsurf: EditorFiles,
    pub kiro: EditorFiles,
    pub cline: EditorFiles,
    /// For all tools that read `AGENTS.md` at the top of the repository.
    pub agents: AgentsFiles,
    pub git: GitFiles,
    /// Parts that a tool does not get because it has no form for them, `TOOL/KIND/NAME`. They are not reported.
    pub accept_omitted: Vec<String>,
}

/// What canonry writes into `AGENTS.md` at the top of the repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentsMdMode {
    /// Nothing.
    #[default]
    Off,
    /// The canon's `AGENTS.md`.
    Map,
    /// The canon's `AGENTS.md` and every policy.
    Full,
}

/// How a tool gets the content of `AGENTS.md`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContextMode {
    /// canonry does not provide it.
    #[default]
    Off,
    /// By an import in the tool's own file.
    Import,
    /// By a copy in the tool's own file.
    Copy,
    /// By a setting of the tool. Only for Gemini CLI.
    Setting,
}

/// Files of git.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GitFiles {
    /// A block in `.gitignore` with the mirrors, which are then not committed.
    pub ignore: bool,
    /// A block in `.gitattributes` that marks the mirrors as generated.
    pub attributes: bool,
}

/// Files of Claude Code.
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
    /// `hooks` in `.claude/settings.json`, from the canon\'s `hooks.yaml`
    pub team_hooks: bool,
    /// `.claude/rules/`
    pub rules: bool,
    /// `Read(…)` in `permissions.deny` of `.claude/settings.json`, from the canon's `ignore`
    pub ignore: bool,
}

/// Files of Gemini CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GeminiFiles {
    /// `GEMINI.md`, or `context.fileName` in `.gemini/settings.json`
    pub context: ContextMode,
    /// `mcpServers` in `.gemini/settings.json`
    pub mcp: bool,
    /// `.gemini/policies/canonry.toml`, and `tools.exclude` and the mode in `.gemini/settings.json`
    pub permissions: bool,
    /// `.gemini/agents/`
    pub subagents: bool,
    /// `.gemini/commands/`
    pub commands: bool,
    /// `hooks` in `.gemini/settings.json`
    pub hooks: bool,
    /// `hooks` in `.gemini/settings.json`, from the canon\'s `hooks.yaml`
    pub team_hooks: bool,
    /// `skills.enabled` in `.gemini/settings.json`
    pub skills: bool,
    /// `.geminiignore`
    pub ignore: bool,
    /// `.aiexclude`, which Gemini Code Assist reads, from the canon's `ignore`
    pub aiexclude: bool,
}

/// Files of Codex CLI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CodexFiles {
    /// `[mcp_servers.…]` in `.codex/config.toml`
    pub mcp: bool,
    /// `.codex/rules/canonry.rules`, the tools of MCP servers and the mode in `.codex/config.toml`
    pub permissions: bool,
    /// `.codex/agents/`
    pub subagents: bool,
    /// `.codex/hooks.json`
    pub hooks: bool,
    /// `.codex/hooks.json`, from the canon's `hooks.yaml`
    pub team_hooks: bool,
    /// `agents/openai.yaml` next to each mirrored `SKILL.md`
    pub sidecar: bool,
}

/// Files of Cursor.
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
    /// `.cursor/hooks.json`, from the canon's `hooks.yaml`
    pub team_hooks: bool,
    /// `.cursor/rules/`, from the canon's rules
    pub rules: bool,
    /// `.cursorignore`
    pub ignore: bool,
}

/// Files of Antigravity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AntigravityFiles {
    /// The entry in `.agents/skills.json` that points to `.antigravity/skills`, if that is a target.
    pub pointer: bool,
    /// `.agents/rules/canonry*.md`
    pub context: bool,
    /// `.agents/mcp_config.json`
    pub mcp: bool,
    /// `permissions` in `.antigravity/settings.json`
    pub permissions: bool,
    /// `.agents/agents/`
    pub subagents: bool,
    /// `.agents/workflows/`
    pub commands: bool,
    /// `.agents/hooks.json`
    pub hooks: bool,
    /// `.agents/hooks.json`, from the canon's `hooks.yaml`
    pub team_hooks: bool,
    /// `.agents/rules/`, from the canon's rules
    pub rules: bool,
}

/// Files of GitHub Copilot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CopilotFiles {
    /// `.github/instructions/`
    pub rules: bool,
    /// `.github/agents/`
    pub subagents: bool,
}

/// Files of Windsurf, Kiro and Cline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EditorFiles {
    /// `.windsurf/rules/`, `.kiro/steering/` or `.clinerules/`
    pub rules: bool,
    /// `.codeiumignore`, `.kiroignore` or `.clineignore`
    pub ignore: bool,
}

impl Default for AntigravityFiles {
    fn default() -> Self {
        Self {
            pointer: true,
            context: false,
            mcp: false,
            permissions: false,
            subagents: false,
            commands: false,
            hooks: false,
            team_hooks: false,
            rules: false,
        }
    }
}

/// Files of all tools that read `AGENTS.md` at the top of the repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentsFiles {
    /// `AGENTS.md`
    pub context: AgentsMdMode,
    /// The list of skills in the block of `AGENTS.md`, for tools without skill support.
    pub skills: bool,
    /// The canon's rules: in an `AGENTS.md` of their folder, or in the one at the top.
    pub rules: bool,
}
