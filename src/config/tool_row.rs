//! What canonry knows of a tool: the columns of the table in `tool_table.rs`.

/// A tool that reads skills.
#[derive(Debug)]
pub struct ToolRow {
    /// The name in the config, in kebab case.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    pub status: ToolStatus,
    pub skills: SkillPaths,
    /// The files with instructions, the preferred one first.
    pub context: &'static [ContextRow],
    pub mcp: Option<McpRow>,
    /// The folder of subagents.
    pub subagents: Option<&'static str>,
    /// The folder of commands.
    pub commands: Option<&'static str>,
    pub hooks: Option<HookRow>,
    pub permissions: Option<PermissionRow>,
    /// The manifest of a plugin.
    pub plugin: Option<&'static str>,
    /// The keys of a skill's frontmatter that the tool reads besides those of the specification.
    pub keys: &'static [&'static str],
    /// Paths that show that the tool is used in a repository, besides [`SkillPaths::mirror`].
    pub traces: &'static [&'static str],
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
    /// Other folders in the repository that the tool reads too.
    pub also_reads: &'static [&'static str],
    /// The variants of the tool that do not follow links; empty if all do, or if it is not known.
    pub ignores_links: &'static [&'static str],
    /// What the tool does with a skill that is in several of its folders.
    pub repeated: RepeatedSkill,
    /// What the tool does if a user skill and a repository skill have the same name.
    pub same_name: Option<NameConflict>,
}

/// What a tool does with a skill that is in several of the folders that it reads.
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

/// What a tool does if a user skill and a repository skill have the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameConflict {
    /// It uses the user's skill.
    TakesUsers,
    /// It lists both skills.
    ListsBoth,
}

/// A file with instructions.
#[derive(Debug)]
pub struct ContextRow {
    pub file: &'static str,
    /// How instructions get into it: as text, by import, or as one file per rule.
    pub mode: ContextForm,
    /// The size that the tool reads, in words of its documentation.
    pub limit: Option<&'static str>,
}

/// The form of a file with instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextForm {
    /// Markdown.
    Text,
    /// Markdown that can import another file with `@path`.
    Import,
    /// A folder with one file per rule.
    Rules,
}

/// Where a tool reads MCP servers.
#[derive(Debug)]
pub struct McpRow {
    pub path: &'static str,
    /// The writer of the format.
    pub format: McpFormat,
    pub root_key: &'static str,
    /// The key of a server's address.
    pub url_key: &'static str,
    /// How a value names an environment variable; `None` if that is not possible or not known.
    pub variables: Option<&'static str>,
}

/// A format of MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpFormat {
    Json,
    Toml,
    Yaml,
}

/// Where a tool reads hooks.
#[derive(Debug)]
pub struct HookRow {
    pub path: &'static str,
    /// The event before a tool call, in the tool's spelling.
    pub before_tool: &'static str,
    /// The unit of timeouts.
    pub unit: &'static str,
    /// What happens if a hook fails.
    pub on_error: &'static str,
}

/// Where a tool reads permissions.
#[derive(Debug)]
pub struct PermissionRow {
    pub path: &'static str,
    /// The form of a rule.
    pub grammar: &'static str,
}

/// A source of facts.
#[derive(Debug)]
pub struct Evidence {
    /// What it is about.
    pub about: &'static str,
    pub source: &'static str,
    /// The version of the tool, or `None` for documentation without versions.
    pub version: Option<&'static str>,
    /// When it was read: year and month, or the day.
    pub date: &'static str,
    pub level: EvidenceLevel,
}

/// How sure a fact is.
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
        skills: SkillPaths::EMPTY,
        context: &[],
        mcp: None,
        subagents: None,
        commands: None,
        hooks: None,
        permissions: None,
        plugin: None,
        keys: &[],
        traces: &[],
        evidence: &[],
    };

    /// Whether the tool has no folder of its own that canonry writes, but reads `.agents/skills`.
    pub fn is_through_agents(&self) -> bool {
        self.skills.mirror == SHARED_MIRROR && self.id != "agents"
    }

    /// The folders in a repository in which the tool looks for skills.
    pub fn skill_folders(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.skills.mirror).chain(self.skills.also_reads.iter().copied())
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
