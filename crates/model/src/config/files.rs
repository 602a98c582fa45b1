//! The tool files to write besides skills.

use crate::tools::TOOLS;
use crate::tools::tool_formats::ContextForm;
use crate::tools::{CommandRow, McpRow, PermissionRow, ToolRow};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// The tool files to write besides skills. Files that a user may already have are off by default.
///
/// The schema of the config refuses unknown tools, because a struct with a flattened map cannot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ToolFilesConfig {
    /// For all tools that read `AGENTS.md` at the top of the repository.
    pub agents: AgentsFiles,
    pub git: GitFiles,
    /// Parts that a tool does not get because it has no form for them, `TOOL/KIND/NAME`. They are not reported.
    pub accept_omitted: Vec<String>,
    /// For each tool of the table, by its id.
    #[serde(flatten)]
    pub tools: BTreeMap<String, ToolSwitches>,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContextMode {
    /// canonry does not provide it.
    #[default]
    Off,
    /// In the first file or folder of the column `context` that only this tool reads.
    On,
    /// By an import in the tool's own file.
    Import,
    /// By a copy in the tool's own file.
    Copy,
    /// By a setting of the tool. Only for Gemini CLI.
    Setting,
}

impl<'de> Deserialize<'de> for ContextMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Value {
            Switch(bool),
            Mode(Mode),
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Mode {
            Off,
            Import,
            Copy,
            Setting,
        }
        Ok(match Value::deserialize(deserializer)? {
            Value::Switch(false) | Value::Mode(Mode::Off) => Self::Off,
            Value::Switch(true) => Self::On,
            Value::Mode(Mode::Import) => Self::Import,
            Value::Mode(Mode::Copy) => Self::Copy,
            Value::Mode(Mode::Setting) => Self::Setting,
        })
    }
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

/// Files of one tool. The schema of the config has the switches that a tool knows, and the paths of the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolSwitches {
    pub context: ContextMode,
    pub mcp: bool,
    pub permissions: bool,
    pub subagents: bool,
    pub commands: bool,
    /// The hooks of canonry.
    pub hooks: bool,
    /// The hooks of the canon's `hooks.yaml`.
    pub team_hooks: bool,
    /// The canon's rules, in a folder of the tool.
    pub rules: bool,
    /// The canon's `ignore`.
    pub ignore: bool,
    /// `.aiexclude`, which Gemini Code Assist reads, from the canon's `ignore`.
    pub aiexclude: bool,
    /// `skills.enabled` in Gemini CLI's settings.
    pub skills: bool,
    /// Codex's `agents/openai.yaml` next to each mirrored `SKILL.md`.
    pub sidecar: bool,
    /// The entry in `.agents/skills.json` that points to `.antigravity/skills`, if that is a target. On by default.
    pub pointer: Option<bool>,
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
#[derive(Clone, Copy, Debug)]
pub struct ContextTool {
    /// The name in the config.
    pub key: &'static str,
    /// The name for people.
    pub name: &'static str,
    pub file: &'static str,
    pub form: ContextForm,
    pub mode: ContextMode,
    /// The row of a tool of the table.
    pub row: Option<&'static ToolRow>,
}

impl ToolFilesConfig {
    /// The switches of a tool.
    pub fn tool(&self, id: &str) -> ToolSwitches {
        self.tools.get(id).copied().unwrap_or_default()
    }

    /// Whether `.agents/skills.json` points to Antigravity's mirror.
    pub fn has_pointer(&self) -> bool {
        self.tool("antigravity").pointer.unwrap_or(true)
    }

    /// The rows of the tools that get some kind of file.
    pub fn tools_with(&self, is_on: impl Fn(ToolSwitches) -> bool) -> impl Iterator<Item = &'static ToolRow> {
        TOOLS.iter().filter(move |row| row.is_written() && is_on(self.tool(row.id)))
    }

    /// The rows of the tools that get permissions, and where.
    pub fn permission_tools(&self) -> Vec<(&'static ToolRow, &'static PermissionRow)> {
        let rows = self.tools_with(|tool| tool.permissions);
        rows.filter_map(|row| Some((row, row.permissions.as_ref()?))).collect()
    }

    /// The rows of the tools that get subagents.
    pub fn subagent_tools(&self) -> Vec<&'static ToolRow> {
        self.tools_with(|tool| tool.subagents).collect()
    }

    /// The tools that get MCP servers, in the order of the table.
    pub fn mcp_tools(&self) -> Vec<McpTool> {
        let rows = self.tools_with(|tool| tool.mcp);
        let known = rows.filter_map(|row| Some(McpTool { key: row.id, name: row.name, row: row.mcp? }));
        let custom =
            self.custom.iter().filter_map(|own| Some(McpTool { key: own.name, name: own.name, row: own.mcp? }));
        known.chain(custom).collect()
    }

    /// The rows of the tools that get commands, and the folders of these.
    pub fn command_tools(&self) -> Vec<(&'static ToolRow, CommandRow)> {
        let rows = self.tools_with(|tool| tool.commands);
        rows.filter_map(|row| Some((row, row.commands?))).collect()
    }

    /// The rows of the tools that get the canon's rules.
    pub fn rule_tools(&self) -> Vec<&'static ToolRow> {
        self.tools_with(|tool| tool.rules).collect()
    }

    /// The files and rule folders that get the canon's instructions.
    pub fn context_tools(&self) -> Vec<ContextTool> {
        let rows = self.tools_with(|tool| tool.context != ContextMode::Off);
        let known = rows.filter_map(|row| {
            let own = row.own_context()?;
            let mode = self.tool(row.id).context;
            Some(ContextTool { key: row.id, name: row.name, file: own.file, form: own.mode, mode, row: Some(row) })
        });
        let custom = self.custom.iter().filter_map(|own| {
            let (file, form) = own.context?;
            Some(ContextTool { key: own.name, name: own.name, file, form, mode: ContextMode::On, row: None })
        });
        known.chain(custom).collect()
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
