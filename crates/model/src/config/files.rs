//! The tool files to write besides skills.

use super::tool_formats::ContextForm;
use super::tool_row::{CommandRow, McpRow, PermissionRow, ToolRow};
use super::tool_table::TOOLS;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The tool files to write besides skills, per tool. Files that a user may already have are off by default.
///
/// The schema of the config refuses unknown names, because a struct with a flattened map cannot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ToolFilesConfig {
    pub claude: ClaudeFiles,
    pub gemini: GeminiFiles,
    pub codex: CodexFiles,
    pub cursor: CursorFiles,
    pub antigravity: AntigravityFiles,
    /// For all tools that read `AGENTS.md` at the top of the repository.
    pub agents: AgentsFiles,
    pub git: GitFiles,
    /// Parts that a tool does not get because it has no form for them, `TOOL/KIND/NAME`. They are not reported.
    pub accept_omitted: Vec<String>,
    /// For the other rows of the table, by their ids.
    #[serde(flatten)]
    pub rows: BTreeMap<String, RowFiles>,
    /// Files of the rows of this config.
    #[serde(skip)]
    pub custom: Vec<CustomFiles>,
}

/// Content that canonry writes into `AGENTS.md` at the top of the repository.
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

/// Way in which a tool gets the content of `AGENTS.md`.
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
    /// `CLAUDE.md`; without one, Claude Code reads `AGENTS.md` itself
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
    /// `hooks` in `.claude/settings.json`, from the canon's `hooks.yaml`
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
    /// `hooks` in `.gemini/settings.json`, from the canon's `hooks.yaml`
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

/// Files of a tool whose row in the table says everything about them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RowFiles {
    /// The first file or folder of the column `context` that only this tool reads.
    pub context: bool,
    pub mcp: bool,
    pub commands: bool,
    pub subagents: bool,
    pub permissions: bool,
    /// The canon's rules, in the folder of the column `context`.
    pub rules: bool,
    pub ignore: bool,
}

/// Files of a row of the config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomFiles {
    pub name: &'static str,
    pub context: Option<(&'static str, ContextForm)>,
    pub mcp: Option<McpRow>,
}

/// A tool that gets MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McpTool {
    /// The name in the config.
    pub key: &'static str,
    /// The name for people.
    pub name: &'static str,
    pub row: McpRow,
}

/// A file or folder of a tool that gets the canon's instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextTool {
    /// The name in the config.
    pub key: &'static str,
    /// The name for people.
    pub name: &'static str,
    pub file: &'static str,
    pub form: ContextForm,
}

impl ToolFilesConfig {
    /// The switches of a row without a struct of its own.
    pub fn row(&self, id: &str) -> RowFiles {
        self.rows.get(id).copied().unwrap_or_default()
    }

    fn writes_mcp(&self, id: &str) -> bool {
        match id {
            "claude" => self.claude.mcp,
            "gemini" => self.gemini.mcp,
            "cursor" => self.cursor.mcp,
            "codex" => self.codex.mcp,
            "antigravity" => self.antigravity.mcp,
            id => self.row(id).mcp,
        }
    }

    fn writes_commands(&self, id: &str) -> bool {
        match id {
            "claude" => self.claude.commands,
            "gemini" => self.gemini.commands,
            "cursor" => self.cursor.commands,
            "antigravity" => self.antigravity.commands,
            id => self.row(id).commands,
        }
    }

    fn writes_rules(&self, id: &str) -> bool {
        match id {
            "claude" => self.claude.rules,
            "cursor" => self.cursor.rules,
            "antigravity" => self.antigravity.rules,
            id => self.row(id).rules,
        }
    }

    fn writes_permissions(&self, id: &str) -> bool {
        match id {
            "claude" => self.claude.permissions,
            "gemini" => self.gemini.permissions,
            "cursor" => self.cursor.permissions,
            "codex" => self.codex.permissions,
            "antigravity" => self.antigravity.permissions,
            id => self.row(id).permissions,
        }
    }

    fn writes_subagents(&self, id: &str) -> bool {
        match id {
            "claude" => self.claude.subagents,
            "gemini" => self.gemini.subagents,
            "cursor" => self.cursor.subagents,
            "codex" => self.codex.subagents,
            "antigravity" => self.antigravity.subagents,
            id => self.row(id).subagents,
        }
    }

    /// Whether a tool runs canonry's hook.
    pub fn runs_hook(&self, id: &str) -> bool {
        match id {
            "claude" => self.claude.hooks,
            "gemini" => self.gemini.hooks,
            "cursor" => self.cursor.hooks,
            "codex" => self.codex.hooks,
            "antigravity" => self.antigravity.hooks,
            _ => false,
        }
    }

    /// Whether a tool gets the team's own hooks.
    pub fn writes_team_hooks(&self, id: &str) -> bool {
        match id {
            "claude" => self.claude.team_hooks,
            "gemini" => self.gemini.team_hooks,
            "cursor" => self.cursor.team_hooks,
            "codex" => self.codex.team_hooks,
            "antigravity" => self.antigravity.team_hooks,
            _ => false,
        }
    }

    /// The rows of the tools that get permissions, and where.
    pub fn permission_tools(&self) -> Vec<(&'static ToolRow, &'static PermissionRow)> {
        let rows = TOOLS.iter().filter(|row| row.is_written() && self.writes_permissions(row.id));
        rows.filter_map(|row| Some((row, row.permissions.as_ref()?))).collect()
    }

    /// The rows of the tools that get subagents.
    pub fn subagent_tools(&self) -> Vec<&'static ToolRow> {
        TOOLS.iter().filter(|row| row.is_written() && self.writes_subagents(row.id)).collect()
    }

    /// The tools that get MCP servers, in the order of the table.
    pub fn mcp_tools(&self) -> Vec<McpTool> {
        let rows = TOOLS.iter().filter(|row| row.is_written() && self.writes_mcp(row.id));
        let known = rows.filter_map(|row| Some(McpTool { key: row.id, name: row.name, row: row.mcp? }));
        let custom =
            self.custom.iter().filter_map(|own| Some(McpTool { key: own.name, name: own.name, row: own.mcp? }));
        known.chain(custom).collect()
    }

    /// The rows of the tools that get commands, and the folders of these.
    pub fn command_tools(&self) -> Vec<(&'static ToolRow, CommandRow)> {
        let rows = TOOLS.iter().filter(|row| row.is_written() && self.writes_commands(row.id));
        rows.filter_map(|row| Some((row, row.commands?))).collect()
    }

    /// The rows of the tools that get the canon's rules.
    pub fn rule_tools(&self) -> Vec<&'static ToolRow> {
        TOOLS.iter().filter(|row| row.is_written() && self.writes_rules(row.id)).collect()
    }

    /// The files of tools without a struct of their own that get the canon's instructions, and the rule folders of Cursor
    /// and Antigravity.
    pub fn context_tools(&self) -> Vec<ContextTool> {
        let is_on = |id: &str| match id {
            "cursor" => self.cursor.context,
            "antigravity" => self.antigravity.context,
            id => self.row(id).context,
        };
        let rows = TOOLS.iter().filter(|row| row.is_written() && is_on(row.id));
        let known = rows.filter_map(|row| {
            let own = row.own_context()?;
            Some(ContextTool { key: row.id, name: row.name, file: own.file, form: own.mode })
        });
        let custom = self.custom.iter().filter_map(|own| {
            let (file, form) = own.context?;
            Some(ContextTool { key: own.name, name: own.name, file, form })
        });
        known.chain(custom).collect()
    }
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
