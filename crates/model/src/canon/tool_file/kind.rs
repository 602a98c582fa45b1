//! Which tool files are checked, each recognised by its path.

use bstr::ByteSlice;
use canonry_text::{RepoPath, WordMatcher};

/// The tool that a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolFileReader {
    Claude,
    Codex,
    Gemini,
    Cursor,
    VsCode,
    Copilot,
    Windsurf,
    Kiro,
    Cline,
    Antigravity,
    /// Any client of the Agent Plugins specification.
    AgentPlugins,
    /// canonry, which writes it for every tool.
    Canonry,
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

/// Kind of a tool file by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolFileKind {
    pub reader: ToolFileReader,
    pub role: Role,
    pub format: FileFormat,
    /// The path has a meaning only in a plugin or a canon, so it is checked only if the folder above is one.
    pub in_plugin: bool,
}

/// A row of the table: the path below any folder. `**` stands for the folders and the name of a file.
struct ToolPath {
    pattern: &'static str,
    kind: ToolFileKind,
}

const fn row(pattern: &'static str, reader: ToolFileReader, role: Role, format: FileFormat) -> ToolPath {
    ToolPath { pattern, kind: ToolFileKind { reader, role, format, in_plugin: false } }
}

const fn plugin(pattern: &'static str, reader: ToolFileReader, role: Role, format: FileFormat) -> ToolPath {
    ToolPath { pattern, kind: ToolFileKind { reader, role, format, in_plugin: true } }
}

/// Every checked path; docs/reference/tool-files.md has the evidence. The first row that matches decides.
static PATHS: [ToolPath; 54] = [
    row(".claude/settings.json", ToolFileReader::Claude, Role::Settings, FileFormat::Jsonc),
    row(".claude/settings.local.json", ToolFileReader::Claude, Role::Settings, FileFormat::Jsonc),
    row(".claude/agents/**.md", ToolFileReader::Claude, Role::Subagent, FileFormat::Markdown),
    row(".claude/commands/**.md", ToolFileReader::Claude, Role::Command, FileFormat::Markdown),
    row(".claude/output-styles/**.md", ToolFileReader::Claude, Role::OutputStyle, FileFormat::Markdown),
    row(".mcp.json", ToolFileReader::Claude, Role::Servers, FileFormat::Json),
    row(".claude-plugin/plugin.json", ToolFileReader::Claude, Role::Manifest, FileFormat::Json),
    row(".claude-plugin/marketplace.json", ToolFileReader::Claude, Role::Marketplace, FileFormat::Json),
    row(".codex/config.toml", ToolFileReader::Codex, Role::Settings, FileFormat::Toml),
    row(".codex/hooks.json", ToolFileReader::Codex, Role::Hooks, FileFormat::Json),
    row(".codex/agents/**.toml", ToolFileReader::Codex, Role::Subagent, FileFormat::Toml),
    row(".codex-plugin/plugin.json", ToolFileReader::Codex, Role::Manifest, FileFormat::Json),
    row(".agents/plugins/marketplace.json", ToolFileReader::Codex, Role::Marketplace, FileFormat::Json),
    row(".gemini/settings.json", ToolFileReader::Gemini, Role::Settings, FileFormat::Jsonc),
    row(".gemini/agents/**.md", ToolFileReader::Gemini, Role::Subagent, FileFormat::Markdown),
    row(".gemini/commands/**.toml", ToolFileReader::Gemini, Role::Command, FileFormat::Toml),
    row("gemini-extension.json", ToolFileReader::Gemini, Role::Manifest, FileFormat::Json),
    row(".cursor/hooks.json", ToolFileReader::Cursor, Role::Hooks, FileFormat::Jsonc),
    row(".cursor/mcp.json", ToolFileReader::Cursor, Role::Servers, FileFormat::Jsonc),
    row(".cursor/cli.json", ToolFileReader::Cursor, Role::Settings, FileFormat::Jsonc),
    row(".cursor/agents/**.md", ToolFileReader::Cursor, Role::Subagent, FileFormat::Markdown),
    row(".cursor/commands/**.md", ToolFileReader::Cursor, Role::Command, FileFormat::Markdown),
    row(".cursor-plugin/plugin.json", ToolFileReader::Cursor, Role::Manifest, FileFormat::Json),
    row(".cursor-plugin/marketplace.json", ToolFileReader::Cursor, Role::Marketplace, FileFormat::Json),
    row(".vscode/mcp.json", ToolFileReader::VsCode, Role::Servers, FileFormat::Jsonc),
    row(".github/copilot-instructions.md", ToolFileReader::Copilot, Role::Instructions, FileFormat::Markdown),
    row(".github/instructions/**.instructions.md", ToolFileReader::Copilot, Role::Instructions, FileFormat::Markdown),
    row(".github/prompts/**.prompt.md", ToolFileReader::Copilot, Role::Command, FileFormat::Markdown),
    row(".github/agents/**.agent.md", ToolFileReader::Copilot, Role::Subagent, FileFormat::Markdown),
    row(".github/chatmodes/**.chatmode.md", ToolFileReader::Copilot, Role::Subagent, FileFormat::Markdown),
    row(".github/hooks/**.json", ToolFileReader::Copilot, Role::Hooks, FileFormat::Json),
    row(".github/plugin/marketplace.json", ToolFileReader::Copilot, Role::Marketplace, FileFormat::Json),
    row(".windsurf/rules/**.md", ToolFileReader::Windsurf, Role::Instructions, FileFormat::Markdown),
    row(".windsurf/workflows/**.md", ToolFileReader::Windsurf, Role::Command, FileFormat::Markdown),
    row(".windsurfrules", ToolFileReader::Windsurf, Role::Instructions, FileFormat::Markdown),
    row(".kiro/steering/**.md", ToolFileReader::Kiro, Role::Instructions, FileFormat::Markdown),
    row(".kiro/settings/mcp.json", ToolFileReader::Kiro, Role::Servers, FileFormat::Jsonc),
    row(".clinerules/**.md", ToolFileReader::Cline, Role::Instructions, FileFormat::Markdown),
    row(".clinerules", ToolFileReader::Cline, Role::Instructions, FileFormat::Markdown),
    row(".cursorrules", ToolFileReader::Cursor, Role::Instructions, FileFormat::Markdown),
    row(".agents/mcp_config.json", ToolFileReader::Antigravity, Role::Servers, FileFormat::Jsonc),
    row(".agents/hooks.json", ToolFileReader::Antigravity, Role::Hooks, FileFormat::Jsonc),
    row("agent/hooks.yaml", ToolFileReader::Canonry, Role::Hooks, FileFormat::Yaml),
    row(".agent/hooks.yaml", ToolFileReader::Canonry, Role::Hooks, FileFormat::Yaml),
    plugin("hooks.yaml", ToolFileReader::Canonry, Role::Hooks, FileFormat::Yaml),
    // Many programs call a file by this name, so its content decides too.
    row("plugin.json", ToolFileReader::AgentPlugins, Role::Manifest, FileFormat::Json),
    plugin("mcp.json", ToolFileReader::AgentPlugins, Role::Servers, FileFormat::Json),
    plugin("hooks/hooks.json", ToolFileReader::Claude, Role::Hooks, FileFormat::Json),
    plugin("agents/**.md", ToolFileReader::Claude, Role::Subagent, FileFormat::Markdown),
    plugin("commands/**.md", ToolFileReader::Claude, Role::Command, FileFormat::Markdown),
    plugin("commands/**.toml", ToolFileReader::Gemini, Role::Command, FileFormat::Toml),
    plugin("output-styles/**.md", ToolFileReader::Claude, Role::OutputStyle, FileFormat::Markdown),
    plugin("agents/**.md", ToolFileReader::Canonry, Role::Subagent, FileFormat::Markdown),
    plugin("commands/**.md", ToolFileReader::Canonry, Role::Command, FileFormat::Markdown),
];

/// The folders and files at the top of a repository that can contain tool files, without the folders of skills and
/// context files.
pub fn places_at_top() -> impl Iterator<Item = &'static str> {
    let at_top = PATHS.iter().filter(|row| !row.kind.in_plugin || row.kind.reader == ToolFileReader::AgentPlugins);
    at_top.map(|row| row.pattern.split_once("/**").map_or(row.pattern, |(folder, _)| folder))
}

/// Every checked path contains one of these words. Most paths of a repository contain none.
static WORDS: WordMatcher = WordMatcher::new(&[
    ".claude",
    ".codex",
    ".gemini",
    ".cursor",
    ".github/",
    ".windsurf",
    ".kiro/",
    ".clinerules",
    ".agents/",
    "plugin.json",
    "mcp.json",
    "gemini-extension.json",
    "hooks.json",
    "hooks.yaml",
    "agents/",
    "commands/",
    "output-styles/",
]);

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
        rows.iter().flat_map(|row| bases(path, row.pattern).into_iter().map(|base| (row.kind, base)))
    }

    /// Name of the tool in messages.
    pub fn reader_name(self) -> &'static str {
        match self.reader {
            ToolFileReader::Claude => "Claude Code",
            ToolFileReader::Codex => "Codex",
            ToolFileReader::Gemini => "Gemini CLI",
            ToolFileReader::Cursor => "Cursor",
            ToolFileReader::VsCode => "VS Code",
            ToolFileReader::Copilot => "GitHub Copilot",
            ToolFileReader::Windsurf => "Windsurf",
            ToolFileReader::Kiro => "Kiro",
            ToolFileReader::Cline => "Cline",
            ToolFileReader::Antigravity => "Antigravity",
            ToolFileReader::AgentPlugins => "a client of Agent Plugins",
            ToolFileReader::Canonry => "canonry",
        }
    }
}

/// The folders above each part of `path` that matches the pattern up to its end.
pub(super) fn bases(path: &RepoPath, pattern: &str) -> Vec<RepoPath> {
    let bytes = path.as_bstr().as_bytes();
    let starts: Vec<usize> = match pattern.split_once("**") {
        None => bytes.strip_suffix(pattern.as_bytes()).map(<[u8]>::len).into_iter().collect(),
        Some((folder, extension)) => {
            let Some(name) = bytes.strip_suffix(extension.as_bytes()) else { return Vec::new() };
            name.find_iter(folder).filter(|at| name.len() > at + folder.len() && !name.ends_with(b"/")).collect()
        }
    };
    let is_start = |at: &usize| *at == 0 || bytes[at - 1] == b'/';
    starts.into_iter().filter(is_start).map(|at| RepoPath::new(bytes[..at].trim_end_with(|c| c == '/'))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_decides_the_kind() {
        for (path, want) in [
            (".claude/settings.json", Some((ToolFileReader::Claude, Role::Settings, ""))),
            ("web/.claude/agents/a/b.md", Some((ToolFileReader::Claude, Role::Subagent, "web"))),
            (".claude/agents/.md", None),
            ("x.claude/settings.json", None),
            ("plugins/a/.claude-plugin/plugin.json", Some((ToolFileReader::Claude, Role::Manifest, "plugins/a"))),
            ("plugins/a/agents/b.md", Some((ToolFileReader::Claude, Role::Subagent, "plugins/a"))),
            ("plugins/a/commands/c.toml", Some((ToolFileReader::Gemini, Role::Command, "plugins/a"))),
            (".gemini/commands/git/c.toml", Some((ToolFileReader::Gemini, Role::Command, ""))),
            ("src/subagents/b.md", None),
            (".github/prompts/a.prompt.md", Some((ToolFileReader::Copilot, Role::Command, ""))),
            (".github/prompts/README.md", None),
            (".windsurfrules", Some((ToolFileReader::Windsurf, Role::Instructions, ""))),
            ("a/.mcp.json", Some((ToolFileReader::Claude, Role::Servers, "a"))),
            ("mcp.json", Some((ToolFileReader::AgentPlugins, Role::Servers, ""))),
            ("plugins/a/plugin.json", Some((ToolFileReader::AgentPlugins, Role::Manifest, "plugins/a"))),
            (".github/hooks/guard.json", Some((ToolFileReader::Copilot, Role::Hooks, ""))),
            (".clinerules", Some((ToolFileReader::Cline, Role::Instructions, ""))),
            (".cursor/rules/a.md", None),
            ("src/main.rs", None),
        ] {
            let found = ToolFileKind::candidates(&RepoPath::from(path)).next();
            let found = found.map(|(kind, base)| (kind.reader, kind.role, base.to_string()));
            assert_eq!(found, want.map(|(reader, role, base)| (reader, role, base.to_owned())), "{path}");
        }
    }

    #[test]
    fn every_path_is_found() {
        for row in &PATHS {
            let path = RepoPath::new(row.pattern.replace("**", "x"));
            let mut found = ToolFileKind::candidates(&path).map(|(kind, _)| kind);
            assert!(found.any(|kind| kind == row.kind), "{path}");
        }
    }
}
