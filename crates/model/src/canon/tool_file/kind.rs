//! Which tool files are checked, each recognised by its path.

use crate::tools::tool_formats::ContextForm;
use crate::tools::{TOOLS, ToolRow, tool_row};
use bstr::ByteSlice;
use canonry_text::{RepoPath, WordMatcher};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The reader of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolFileReader {
    /// A tool, by the id of its row.
    Tool(&'static str),
    /// Any client of the Agent Plugins specification.
    AgentPlugins,
    /// canonry, which writes it for every tool.
    Canonry,
}

impl ToolFileReader {
    pub const CLAUDE: Self = Self::Tool("claude");
    pub const CODEX: Self = Self::Tool("codex");
    pub const GEMINI: Self = Self::Tool("gemini");
    pub const CURSOR: Self = Self::Tool("cursor");
    pub const COPILOT: Self = Self::Tool("copilot");

    /// The row of the tool.
    pub fn row(self) -> Option<&'static ToolRow> {
        match self {
            Self::Tool(id) => tool_row(id),
            Self::AgentPlugins | Self::Canonry => None,
        }
    }
}

/// Role of a file for its tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Settings,
    Hooks,
    Servers,
    /// The manifest of a plugin or extension.
    Manifest,
    Marketplace,
    Subagent,
    Command,
    OutputStyle,
    /// The frontmatter of a skill: only its hooks are checked here.
    Skill,
    /// Instructions without a format of their own.
    Instructions,
}

/// Format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    Json,
    /// JSON with comments and trailing commas.
    Jsonc,
    Toml,
    Yaml,
    Markdown,
}

impl FileFormat {
    /// The format of a tool's file by its name. Most tools accept comments in JSON.
    fn of_name(name: &str) -> Self {
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("json") => Self::Jsonc,
            Some("toml") => Self::Toml,
            _ => Self::Markdown,
        }
    }
}

/// Kind of a tool file by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolFileKind {
    pub reader: ToolFileReader,
    pub role: Role,
    pub format: FileFormat,
    /// The path has a meaning only in a plugin or a canon, so it is checked only if the folder above is one.
    pub in_plugin: bool,
}

/// A path below any folder, and its meaning. `*` stands for the name of a file, `**` for its folders too.
struct ToolPath {
    pattern: Cow<'static, str>,
    kind: ToolFileKind,
}

const fn row(pattern: &'static str, reader: ToolFileReader, role: Role, format: FileFormat) -> ToolPath {
    ToolPath { pattern: Cow::Borrowed(pattern), kind: ToolFileKind { reader, role, format, in_plugin: false } }
}

const fn plugin(pattern: &'static str, reader: ToolFileReader, role: Role, format: FileFormat) -> ToolPath {
    ToolPath { pattern: Cow::Borrowed(pattern), kind: ToolFileKind { reader, role, format, in_plugin: true } }
}

/// The paths that a row of the table of tools does not have; docs/reference/tool-files.md has the evidence.
const OTHER_PATHS: [ToolPath; 25] = [
    row(".claude/settings.local.json", ToolFileReader::CLAUDE, Role::Settings, FileFormat::Jsonc),
    row(".claude/output-styles/**.md", ToolFileReader::CLAUDE, Role::OutputStyle, FileFormat::Markdown),
    row(".mcp.json", ToolFileReader::CLAUDE, Role::Servers, FileFormat::Json),
    row(".claude-plugin/marketplace.json", ToolFileReader::CLAUDE, Role::Marketplace, FileFormat::Json),
    row(".agents/plugins/marketplace.json", ToolFileReader::CODEX, Role::Marketplace, FileFormat::Json),
    row("gemini-extension.json", ToolFileReader::GEMINI, Role::Manifest, FileFormat::Json),
    row(".cursor-plugin/marketplace.json", ToolFileReader::CURSOR, Role::Marketplace, FileFormat::Json),
    row(".github/chatmodes/**.chatmode.md", ToolFileReader::COPILOT, Role::Subagent, FileFormat::Markdown),
    row(".github/hooks/**.json", ToolFileReader::COPILOT, Role::Hooks, FileFormat::Json),
    row(".github/plugin/marketplace.json", ToolFileReader::COPILOT, Role::Marketplace, FileFormat::Json),
    row(".windsurfrules", ToolFileReader::Tool("windsurf"), Role::Instructions, FileFormat::Markdown),
    row(".clinerules", ToolFileReader::Tool("cline"), Role::Instructions, FileFormat::Markdown),
    row(".cursorrules", ToolFileReader::CURSOR, Role::Instructions, FileFormat::Markdown),
    row("agent/hooks.yaml", ToolFileReader::Canonry, Role::Hooks, FileFormat::Yaml),
    row(".agent/hooks.yaml", ToolFileReader::Canonry, Role::Hooks, FileFormat::Yaml),
    plugin("hooks.yaml", ToolFileReader::Canonry, Role::Hooks, FileFormat::Yaml),
    // Many programs call a file by this name, so its content decides too.
    row("plugin.json", ToolFileReader::AgentPlugins, Role::Manifest, FileFormat::Json),
    plugin("mcp.json", ToolFileReader::AgentPlugins, Role::Servers, FileFormat::Json),
    plugin("hooks/hooks.json", ToolFileReader::CLAUDE, Role::Hooks, FileFormat::Json),
    plugin("agents/**.md", ToolFileReader::CLAUDE, Role::Subagent, FileFormat::Markdown),
    plugin("commands/**.md", ToolFileReader::CLAUDE, Role::Command, FileFormat::Markdown),
    plugin("commands/**.toml", ToolFileReader::GEMINI, Role::Command, FileFormat::Toml),
    plugin("output-styles/**.md", ToolFileReader::CLAUDE, Role::OutputStyle, FileFormat::Markdown),
    plugin("agents/**.md", ToolFileReader::Canonry, Role::Subagent, FileFormat::Markdown),
    plugin("commands/**.md", ToolFileReader::Canonry, Role::Command, FileFormat::Markdown),
];

/// The files that a row names. Scripts and plugins with hooks are programs, and nothing is known of subagents without a format.
fn paths_of(row: &'static ToolRow) -> Vec<ToolPath> {
    let reader = ToolFileReader::Tool(row.id);
    let path = |pattern: Cow<'static, str>, role| {
        let is_strict = role == Role::Hooks && row.hooks.as_ref().is_some_and(|hooks| !hooks.form.has_comments);
        let format = if is_strict || role == Role::Manifest { FileFormat::Json } else { FileFormat::of_name(&pattern) };
        ToolPath { pattern, kind: ToolFileKind { reader, role, format, in_plugin: false } }
    };
    let below = |folder: &str, extension: &str, role| path(Cow::Owned(format!("{folder}/**{extension}")), role);
    let hooks = row.hooks.as_ref();
    let hook_folder = hooks.filter(|hooks| hooks.reads_folder).and_then(|hooks| hooks.path.rsplit_once('/'));
    let hook_files = hook_folder.map(|(folder, _)| path(Cow::Owned(format!("{folder}/*.json")), Role::Hooks));
    let hooks = hooks.filter(|hooks| !hooks.reads_folder && !hooks.is_plugin());
    let hooks = hooks.map(|hooks| (hooks.path, Role::Hooks));
    let servers = row.mcp.map(|mcp| (mcp.path, Role::Servers));
    let permissions = row.permissions.as_ref().map(|permissions| (permissions.path, Role::Settings));
    let manifest = row.plugin.map(|plugin| (plugin, Role::Manifest));
    let texts = row.context.iter().filter(|context| context.mode == ContextForm::Text && context.file.contains('/'));
    let texts = texts.map(|context| (context.file, Role::Instructions));
    let mut files: BTreeMap<&str, Role> = BTreeMap::new();
    for (file, role) in [hooks, servers, permissions, manifest].into_iter().flatten().chain(texts) {
        files.entry(file).and_modify(|role| *role = Role::Settings).or_insert(role);
    }
    let files = files.into_iter().map(|(file, role)| path(Cow::Borrowed(file), role));
    let subagents = row.subagents.and_then(|row| Some((row.folder, row.format?.extension(), Role::Subagent)));
    let commands = row.commands.map(|row| (row.folder, row.format.extension(), Role::Command));
    let rules = row.rule_folder().map(|(folder, form)| (folder, form.extension, Role::Instructions));
    let folders = [subagents, commands, rules].into_iter().flatten();
    let files = files.chain(folders.map(|(folder, extension, role)| below(folder, extension, role)));
    files.chain(hook_files).collect()
}

/// Every checked path. The first one that matches decides, so the longest are first.
static PATHS: LazyLock<Vec<ToolPath>> = LazyLock::new(|| {
    let tools = TOOLS.iter().filter(|row| row.is_written()).flat_map(paths_of);
    let mut paths: Vec<ToolPath> = OTHER_PATHS.into_iter().chain(tools).collect();
    paths.sort_by_key(|path| Reverse(path.pattern.len()));
    paths
});

/// The folders and files at the top of a repository that can contain tool files, without the folders of skills and
/// context files.
pub fn places_at_top() -> impl Iterator<Item = &'static str> {
    let at_top = PATHS.iter().filter(|row| !row.kind.in_plugin || row.kind.reader == ToolFileReader::AgentPlugins);
    at_top.map(|row| row.pattern.split_once("/*").map_or(&*row.pattern, |(folder, _)| folder))
}

/// Every checked path contains one of these words. Most paths of a repository contain none.
static WORDS: LazyLock<WordMatcher> = LazyLock::new(|| {
    let words = PATHS.iter().map(|path| path.pattern.split_once('*').map_or(&*path.pattern, |(folder, _)| folder));
    WordMatcher::from_words(words.collect())
});

/// A rule of the canon, which is checked as a page.
pub const CANON_RULE: ToolFileKind = ToolFileKind {
    reader: ToolFileReader::Canonry,
    role: Role::Instructions,
    format: FileFormat::Markdown,
    in_plugin: true,
};

impl ToolFileKind {
    /// Possible kinds of a file, each with the folder that its path starts from: the top of a project or of a plugin.
    pub fn candidates(path: &RepoPath) -> impl Iterator<Item = (Self, RepoPath)> {
        let rows = if WORDS.is_in(path.as_bstr()) { &PATHS[..] } else { &[] };
        rows.iter().flat_map(|row| bases(path, &row.pattern).into_iter().map(|base| (row.kind, base)))
    }

    /// Name of the tool in messages.
    pub fn reader_name(self) -> &'static str {
        match self.reader {
            ToolFileReader::Tool(id) => tool_row(id).map_or(id, |row| row.name),
            ToolFileReader::AgentPlugins => "a client of Agent Plugins",
            ToolFileReader::Canonry => "canonry",
        }
    }
}

/// The folders above each part of `path` that matches the pattern up to its end.
pub(super) fn bases(path: &RepoPath, pattern: &str) -> Vec<RepoPath> {
    let bytes = path.as_bstr().as_bytes();
    let starts: Vec<usize> = match pattern.split_once('*') {
        None => bytes.strip_suffix(pattern.as_bytes()).map(<[u8]>::len).into_iter().collect(),
        Some((folder, rest)) => {
            let extension = rest.strip_prefix('*');
            let Some(name) = bytes.strip_suffix(extension.unwrap_or(rest).as_bytes()) else { return Vec::new() };
            let is_named = |at: &usize| {
                let below = name.get(at + folder.len()..).unwrap_or_default();
                !below.is_empty() && !below.ends_with(b"/") && (extension.is_some() || !below.contains(&b'/'))
            };
            name.find_iter(folder).filter(is_named).collect()
        }
    };
    let is_start = |at: &usize| *at == 0 || bytes[at - 1] == b'/';
    starts.into_iter().filter(is_start).map(|at| RepoPath::new(bytes[..at].trim_end_with(|c| c == '/'))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{CommandRow, HookRow, McpRow, SubagentRow};

    #[test]
    fn path_decides_the_kind() {
        for (path, want) in [
            (".claude/settings.json", Some((ToolFileReader::CLAUDE, Role::Settings, ""))),
            ("web/.claude/agents/a/b.md", Some((ToolFileReader::CLAUDE, Role::Subagent, "web"))),
            (".claude/agents/.md", None),
            ("x.claude/settings.json", None),
            ("plugins/a/.claude-plugin/plugin.json", Some((ToolFileReader::CLAUDE, Role::Manifest, "plugins/a"))),
            ("plugins/a/agents/b.md", Some((ToolFileReader::CLAUDE, Role::Subagent, "plugins/a"))),
            ("plugins/a/commands/c.toml", Some((ToolFileReader::GEMINI, Role::Command, "plugins/a"))),
            (".gemini/commands/git/c.toml", Some((ToolFileReader::GEMINI, Role::Command, ""))),
            ("src/subagents/b.md", None),
            (".github/prompts/a.prompt.md", Some((ToolFileReader::COPILOT, Role::Command, ""))),
            (".github/prompts/README.md", None),
            (".windsurfrules", Some((ToolFileReader::Tool("windsurf"), Role::Instructions, ""))),
            ("a/.mcp.json", Some((ToolFileReader::CLAUDE, Role::Servers, "a"))),
            ("mcp.json", Some((ToolFileReader::AgentPlugins, Role::Servers, ""))),
            ("plugins/a/plugin.json", Some((ToolFileReader::AgentPlugins, Role::Manifest, "plugins/a"))),
            (".github/hooks/guard.json", Some((ToolFileReader::COPILOT, Role::Hooks, ""))),
            (".clinerules", Some((ToolFileReader::Tool("cline"), Role::Instructions, ""))),
            ("web/.grok/hooks/a.json", Some((ToolFileReader::Tool("grok"), Role::Hooks, "web"))),
            (".grok/hooks/events/a.json", None),
            (".grok/hooks/.json", None),
            (".kiro/hooks/a.json", Some((ToolFileReader::Tool("kiro"), Role::Hooks, ""))),
            (".cursor/rules/a.md", None),
            ("src/main.rs", None),
        ] {
            let found = ToolFileKind::candidates(&RepoPath::from(path)).next();
            let found = found.map(|(kind, base)| (kind.reader, kind.role, base.to_string()));
            assert_eq!(found, want.map(|(reader, role, base)| (reader, role, base.to_owned())), "{path}");
        }
    }

    /// The row is all that `check` needs of a tool with the formats of another one.
    #[test]
    fn the_files_of_a_new_tool_come_from_its_row() {
        let claude = tool_row("claude").unwrap();
        let row: &'static ToolRow = Box::leak(Box::new(ToolRow {
            id: "example",
            mcp: claude.mcp.map(|mcp| McpRow { path: ".example/mcp.json", ..mcp }),
            hooks: claude.hooks.as_ref().map(|hooks| HookRow { path: ".example/settings.json", ..*hooks }),
            subagents: claude.subagents.map(|row| SubagentRow { folder: ".example/agents", ..row }),
            commands: claude.commands.map(|row| CommandRow { folder: ".example/commands", ..row }),
            ..ToolRow::EMPTY
        }));
        let found = paths_of(row);
        let found: Vec<_> = found.iter().map(|path| (&*path.pattern, path.kind.role, path.kind.format)).collect();
        let want = [
            (".example/mcp.json", Role::Servers, FileFormat::Jsonc),
            (".example/settings.json", Role::Hooks, FileFormat::Jsonc),
            (".example/agents/**.md", Role::Subagent, FileFormat::Markdown),
            (".example/commands/**.md", Role::Command, FileFormat::Markdown),
        ];
        assert_eq!(found, want);
    }

    #[test]
    fn every_path_is_found() {
        for row in PATHS.iter() {
            let path = RepoPath::new(row.pattern.replace("**", "x").replace('*', "x"));
            let mut found = ToolFileKind::candidates(&path).map(|(kind, _)| kind);
            assert!(found.any(|kind| kind == row.kind), "{path}");
        }
    }
}
