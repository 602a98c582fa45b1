//! Facts about a tool: the columns of the table in `tool_table.rs`.

use super::hook_form::HookForm;
use super::skill_listing::SkillListing;
use super::tool_formats::{
    CommandFormat, ContextForm, FailClosed, HookFormat, HookQuestions, HookTrust, McpFormat, PermissionGrammar,
    RuleFolder, SubagentFormat, ToolNames, VariableSyntax,
};

/// A tool that reads skills.
#[derive(Debug)]
pub struct ToolRow {
    /// The name in the config, in kebab case.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    pub status: ToolStatus,
    /// The variable that replaces the tool's folder in the home, the first part of [`SkillPaths::user`].
    pub home_variable: Option<&'static str>,
    pub skills: SkillPaths,
    /// The space in which it lists them, if that is known.
    pub listing: Option<SkillListing>,
    /// The memories that it keeps itself.
    pub memories: &'static [ToolMemory],
    /// The files with instructions, the preferred one first.
    pub context: &'static [ContextRow],
    pub context_setting: Option<ContextSetting>,
    /// The files in the user's home whose form is known.
    pub user: Option<UserFiles>,
    pub mcp: Option<McpRow>,
    pub subagents: Option<SubagentRow>,
    pub commands: Option<CommandRow>,
    /// Further files and folders with instructions, servers or subagents that the tool reads. canonry writes none of them
    /// for it.
    pub also_reads: &'static [&'static str],
    /// The file with patterns of files that agents do not read.
    pub ignore: Option<&'static str>,
    /// Its programs; the first that is installed counts. Each prints its version with `--version`.
    pub programs: &'static [&'static str],
    pub hooks: Option<HookRow>,
    pub permissions: Option<PermissionRow>,
    /// The manifest of a plugin.
    pub plugin: Option<&'static str>,
    /// The keys of a skill's frontmatter that the tool reads besides those of the specification.
    pub keys: &'static [&'static str],
    /// Paths that show that the tool is used in a repository, besides [`SkillPaths::mirror`].
    pub traces: &'static [&'static str],
    /// Paths in the user's home that show that the tool is installed.
    pub installed: &'static [&'static str],
    /// Where the facts come from. The first entry is about the skill paths.
    pub evidence: &'static [Evidence],
}

/// Whether a tool is still developed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolStatus {
    Active,
    /// Still usable for some people, as the text says.
    Legacy(&'static str),
    /// Ended, as the text says.
    Ended(&'static str),
}

/// Where a tool reads skills.
#[derive(Debug)]
pub struct SkillPaths {
    /// The folder in the repository that canonry writes for the tool.
    pub mirror: &'static str,
    /// The folder in the user's home; `None` if it is not known.
    pub user: Option<&'static str>,
    /// Other folders in the repository that the tool reads too, the preferred one first.
    pub also_reads: &'static [&'static str],
    /// The variants of the tool that do not follow links; empty if all do, or if it is not known.
    pub ignores_links: &'static [&'static str],
    /// Treatment of a skill that is in several of its folders.
    pub repeated: RepeatedSkill,
    /// Treatment of a user skill and a repository skill with the same name.
    pub same_name: Option<NameConflict>,
}

/// A tool's treatment of a skill that is in several of the folders that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatedSkill {
    /// It lists the skill once for each folder.
    Lists,
    /// It warns about the skill.
    Warns,
    /// It silently takes one of them.
    TakesOne,
    Unknown,
}

/// A tool's treatment of a user skill and a repository skill with the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameConflict {
    /// It uses the user's skill.
    TakesUsers,
    /// It lists both skills.
    ListsBoth,
}

/// A memory that a tool keeps itself.
#[derive(Clone, Copy, Debug)]
pub struct ToolMemory {
    /// The folder in the user's home: `{path}` is the path of the work tree with `-` for everything but letters and digits,
    /// `{slug}` its name in `.gemini/projects.json`.
    pub folder: &'static str,
    pub scope: MemoryScope,
}

/// The work trees that share a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryScope {
    /// Those of all repositories.
    Everything,
    /// Those of one repository.
    Repository,
    /// None.
    WorkTree,
}

/// A file with instructions, or a folder with rules.
#[derive(Clone, Copy, Debug)]
pub struct ContextRow {
    pub file: &'static str,
    /// Way in which instructions get into it; names the writer.
    pub mode: ContextForm,
    /// The size that the tool reads, in words of its documentation.
    pub limit: Option<&'static str>,
    pub reading: ContextReading,
}

/// When a tool reads a file with instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextReading {
    Always,
    /// If the tool's own file is missing, or imports it.
    WithoutOwn,
    /// Always, as others report.
    Reported,
}

/// A setting with the names of the files with instructions.
#[derive(Clone, Copy, Debug)]
pub struct ContextSetting {
    pub file: &'static str,
    pub keys: [&'static str; 2],
}

/// Further files in the user's home that canonry writes for every project.
#[derive(Clone, Copy, Debug)]
pub struct UserFiles {
    pub instructions: Option<&'static str>,
    /// Whether the MCP servers are in the same file as in a repository. Those of Claude Code are with its own state.
    pub has_servers: bool,
}

/// Where a tool reads MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McpRow {
    pub path: &'static str,
    /// The keys of the servers from the root.
    pub root: &'static [&'static str],
    /// The tool whose format it is.
    pub format: McpFormat,
}

/// Where a tool reads commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandRow {
    pub folder: &'static str,
    /// The tool whose format it is.
    pub format: CommandFormat,
}

/// Where a tool reads subagents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubagentRow {
    pub folder: &'static str,
    /// The writer of the format; `None` if canonry writes none.
    pub format: Option<SubagentFormat>,
}

/// Where a tool reads hooks, and how it treats them.
#[derive(Debug)]
pub struct HookRow {
    /// The settings file, or the plugin.
    pub path: &'static str,
    /// The file with the team's own hooks, if [`Self::path`] is a file of canonry alone. Of several files, the first.
    pub team_path: Option<&'static str>,
    /// Extensions of scripts that run at one event; empty if hooks are no scripts.
    pub script_extensions: &'static [&'static str],
    /// Whether the tool reads every JSON file in the folder of [`Self::path`].
    pub reads_folder: bool,
    pub format: HookFormat,
    pub form: &'static HookForm,
    pub context: ContextEvent,
    pub questions: HookQuestions,
    /// Whether a hook can approve a call explicitly. Grok Build asks its user in any case.
    pub approves: bool,
    /// The names in matchers.
    pub tool_names: ToolNames,
    pub trust: HookTrust,
    pub fail_closed: FailClosed,
    /// Behaviour if a hook fails.
    pub on_error: &'static str,
    /// Certainty that the tool obeys.
    pub evidence: EvidenceLevel,
}

impl HookRow {
    /// Whether the file is canonry's own, such as a plugin, and not settings that it shares with people.
    pub fn is_plugin(&self) -> bool {
        self.team_path.is_some()
    }
}

/// The event at which a tool takes context from canonry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextEvent {
    /// The start of a session.
    SessionStart,
    /// An event that the canon does not have.
    Own(&'static str),
    /// It takes no context from hooks.
    None,
}

/// Where a tool reads permissions.
#[derive(Debug)]
pub struct PermissionRow {
    /// The settings file.
    pub path: &'static str,
    /// A file of its own for rules about commands.
    pub commands: Option<&'static str>,
    /// The writer of the rules.
    pub grammar: PermissionGrammar,
    /// Certainty that the tool obeys.
    pub evidence: EvidenceLevel,
}

/// A source of facts.
#[derive(Debug)]
pub struct Evidence {
    /// Subject of the fact.
    pub about: &'static str,
    pub source: &'static str,
    /// The version of the tool, or `None` for documentation without versions.
    pub version: Option<&'static str>,
    /// When it was read: year and month, or the day.
    pub date: &'static str,
    pub level: EvidenceLevel,
}

/// Certainty of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceLevel {
    /// Read in the tool's own source or documentation.
    Verified,
    /// Reported by others.
    Reported,
}

/// The folder that several tools share.
pub const SHARED_MIRROR: &str = ".agents/skills";

impl ToolRow {
    /// The start of a row; every other column is empty.
    pub const EMPTY: Self = Self {
        id: "",
        name: "",
        status: ToolStatus::Active,
        home_variable: None,
        skills: SkillPaths::EMPTY,
        listing: None,
        memories: &[],
        context: &[],
        context_setting: None,
        user: None,
        mcp: None,
        subagents: None,
        commands: None,
        also_reads: &[],
        ignore: None,
        programs: &[],
        hooks: None,
        permissions: None,
        plugin: None,
        keys: &[],
        traces: &[],
        installed: &[],
        evidence: &[],
    };

    /// Whether the tool has no folder of its own that canonry writes, but reads `.agents/skills`.
    pub fn is_through_agents(&self) -> bool {
        self.skills.mirror == SHARED_MIRROR && self.id != "agents"
    }

    /// Whether canonry writes files for the tool: an ended tool gets none.
    pub fn is_written(&self) -> bool {
        !matches!(self.status, ToolStatus::Ended(_))
    }

    /// Whether the first part of a path of the tool is `folder`.
    pub fn has_folder(&self, folder: &str) -> bool {
        let starts = |path: &str| path.split('/').next().is_some_and(|first| first.eq_ignore_ascii_case(folder));
        self.skill_folders().any(starts) || self.traces.iter().any(|trace| starts(trace))
    }

    /// The file or folder with instructions that only this tool reads.
    pub fn own_context(&self) -> Option<&'static ContextRow> {
        self.context.iter().find(|context| context.file != "AGENTS.md")
    }

    /// When the tool reads the `AGENTS.md` at the top of the repository; `None` for never.
    pub fn reads_agents_md(&self) -> Option<ContextReading> {
        self.context.iter().find(|context| context.file == "AGENTS.md").map(|context| context.reading)
    }

    /// The folder with rules, and how the tool reads it.
    pub fn rule_folder(&self) -> Option<(&'static str, RuleFolder)> {
        self.context.iter().find_map(|context| match context.mode {
            ContextForm::Rules(folder) => Some((context.file, folder)),
            ContextForm::Text | ContextForm::Import(_) => None,
        })
    }

    /// The folders in a repository in which the tool looks for skills.
    pub fn skill_folders(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.skills.mirror).chain(self.skills.also_reads.iter().copied())
    }

    /// The folders in a repository in which the tool looks for skills, subagents, commands and rules.
    pub fn folders(&self) -> impl Iterator<Item = &'static str> {
        let subagents = self.subagents.as_ref().map(|row| row.folder);
        let commands = self.commands.as_ref().map(|row| row.folder);
        let rules = self.rule_folder().map(|(folder, _)| folder);
        self.skill_folders().chain(subagents).chain(commands).chain(rules)
    }
}

impl McpRow {
    /// The key of the address of a streamable HTTP server.
    pub fn url_key(&self) -> &'static str {
        match self.format {
            McpFormat::Json(form) => form.http_url_key,
            McpFormat::OpenCode | McpFormat::CodexToml => "url",
        }
    }

    /// Form of an environment variable in a value; `None` if that is not possible or not known.
    pub fn variables(&self) -> Option<&'static str> {
        let syntax = match self.format {
            McpFormat::Json(form) => form.variables,
            McpFormat::OpenCode => VariableSyntax::Braces,
            McpFormat::CodexToml => return Some("env_vars"),
        };
        match syntax {
            VariableSyntax::Shell | VariableSyntax::ShellWithoutDefault => Some("${NAME}"),
            VariableSyntax::Env => Some("${env:NAME}"),
            VariableSyntax::Braces => Some("{env:NAME}"),
            VariableSyntax::Unsupported => None,
        }
    }
}

impl SkillPaths {
    pub const EMPTY: Self = Self {
        mirror: "",
        user: None,
        also_reads: &[],
        ignores_links: &[],
        repeated: RepeatedSkill::Unknown,
        same_name: None,
    };
}
