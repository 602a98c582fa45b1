//! Tool files: what a coding agent reads besides skills and context files, such as settings, hooks, MCP servers,
//! plugins, subagents and commands.

mod command_lines;
pub mod data;
mod entry_versions;
pub mod hooks;
pub mod kind;
mod local_plugins;
mod path_reference;
mod plugin_folders;
pub mod references;
mod scripts;
pub mod servers;
mod unreleased;

pub use command_lines::{CommandLine, command_lines};
pub use data::SyntaxError;
pub use entry_versions::EntryVersion;
pub use kind::{FileFormat, Role, ToolFileKind, ToolFileReader};
pub use path_reference::{PathReference, PathRole};
pub use plugin_folders::PluginFolders;
pub use unreleased::UnreleasedChange;

use super::blob::DocumentError;
use super::skill::Skill;
use super::{Blob, FileMode};
use canonry_text::node::Node;
use canonry_text::yaml::{DuplicateKey, ParsedDocument};
use canonry_text::{RepoPath, Source};
use std::sync::Arc;

/// The manifest that makes a folder a plugin of Claude Code.
pub const PLUGIN_MANIFEST: &str = ".claude-plugin/plugin.json";
/// The list of plugins at the top of a marketplace.
const MARKETPLACE: &str = ".claude-plugin/marketplace.json";
/// The manifest that makes a folder an extension of Gemini CLI.
const EXTENSION_MANIFEST: &str = "gemini-extension.json";

/// The manifest that makes a folder a plugin of the Agent Plugins specification, and what its `$schema` contains.
const PORTABLE_MANIFEST: &str = "plugin.json";
const PORTABLE_SCHEMA: &str = "agent-plugins.org/schemas/";

/// A parsed tool file.
#[derive(Debug)]
pub struct ToolFile {
    pub path: RepoPath,
    pub kind: ToolFileKind,
    /// The top of the project or plugin that the file belongs to.
    pub base: RepoPath,
    /// Whether the base is a plugin of Claude Code, which reads the file.
    pub is_plugin: bool,
    pub document: Result<Arc<Source>, DocumentError>,
    /// The data, or its first syntax error; `None` for Markdown without frontmatter.
    pub data: Option<Result<Node, SyntaxError>>,
    /// Keys of the data that occur twice in a mapping.
    pub duplicates: Vec<DuplicateKey>,
    /// Paths in the file that do not exist.
    pub missing: Vec<PathReference>,
    /// Scripts that the tool starts itself, and that are not executable.
    pub not_executable: Vec<PathReference>,
    /// For a manifest: whether the plugin changed, and its version did not.
    pub unreleased: Option<UnreleasedChange>,
    /// For a marketplace: the plugins whose manifests have another version.
    pub entry_versions: Vec<EntryVersion>,
}

impl ToolFile {
    /// Parses a tool file. `None` if the path is not that of a tool file, or if it has a meaning only in a plugin and is in no plugin.
    pub fn parse(path: RepoPath, blob: Blob, plugins: &PluginFolders<'_>) -> Option<Self> {
        let (kind, base) = Self::kind_at(&path, plugins)?;
        let is_plugin = plugins.reads(&base, &path);
        let document = blob.into_source(&path);
        let is_portable = kind.reader == ToolFileReader::AgentPlugins;
        // Other programs use the same names.
        if is_portable && !document.as_ref().is_ok_and(|source| source.text().contains(PORTABLE_SCHEMA)) {
            return None;
        }
        let parsed = document.as_ref().ok().and_then(|source| data::parse(kind, source.text()));
        let (data, duplicates) = match parsed {
            Some(Ok(ParsedDocument { root, duplicates, .. })) => (Some(Ok(root)), duplicates),
            Some(Err(error)) => (Some(Err(error)), Vec::new()),
            None => (None, Vec::new()),
        };
        Some(Self { is_plugin, duplicates, ..Self::new(path, kind, base, document, data) }.with_missing(plugins))
    }

    /// A file that is known by its own text alone.
    fn new(
        path: RepoPath,
        kind: ToolFileKind,
        base: RepoPath,
        document: Result<Arc<Source>, DocumentError>,
        data: Option<Result<Node, SyntaxError>>,
    ) -> Self {
        Self {
            path,
            kind,
            base,
            is_plugin: kind.in_plugin,
            document,
            data,
            duplicates: Vec::new(),
            missing: Vec::new(),
            not_executable: Vec::new(),
            unreleased: None,
            entry_versions: Vec::new(),
        }
    }

    fn with_missing(mut self, plugins: &PluginFolders<'_>) -> Self {
        self.missing = references::missing(&self, &|path| plugins.exists(path));
        self
    }

    /// The frontmatter of a skill with hooks, which Claude Code registers when the skill is used. `None` if it has none, or
    /// if the skill is in the folder of another tool.
    pub fn from_skill(skill: &Skill, plugins: &PluginFolders<'_>) -> Option<Self> {
        let source = skill.source()?;
        let root = skill.front()?.root()?;
        root.get("hooks")?;
        let path = skill.path();
        let project = kind::bases(path, ".claude/skills/**.md").into_iter().next();
        if project.is_none() && skill.is_in_tool_folder() {
            return None;
        }
        let plugin = plugins.around(path).filter(|_| project.is_none());
        let kind = ToolFileKind {
            reader: ToolFileReader::CLAUDE,
            role: Role::Skill,
            format: FileFormat::Markdown,
            in_plugin: plugin.is_some(),
        };
        let base = plugin.or(project).unwrap_or_default();
        // The rules of skills report duplicate keys.
        let file = Self::new(path.clone(), kind, base, Ok(Arc::clone(source)), Some(Ok(root.clone())));
        Some(file.with_missing(plugins))
    }

    /// The kind of the file at a path, and the folder it belongs to. Some paths have a meaning only in a plugin.
    pub fn kind_at(path: &RepoPath, plugins: &PluginFolders<'_>) -> Option<(ToolFileKind, RepoPath)> {
        let is_plugin = |kind: ToolFileKind, base: &RepoPath| match kind.reader {
            ToolFileReader::GEMINI => plugins.exists(&base.join(EXTENSION_MANIFEST)),
            ToolFileReader::AgentPlugins => plugins.exists(&base.join(PORTABLE_MANIFEST)),
            ToolFileReader::Canonry => plugins.is_canon(base),
            _ => plugins.reads(base, path),
        };
        let found = ToolFileKind::candidates(path).find(|(kind, base)| !kind.in_plugin || is_plugin(*kind, base));
        // Paths in a canon are relative to the project around it.
        found.map(|(kind, base)| match kind.reader {
            ToolFileReader::Canonry if kind.in_plugin => (kind, base.parent().unwrap_or_default()),
            _ => (kind, base),
        })
    }

    /// Compares the scripts that the tool starts with their modes. `mode` returns that of a file; `None` if it is unknown.
    #[must_use]
    pub fn with_modes(mut self, plugins: &PluginFolders<'_>, mode: &dyn Fn(&RepoPath) -> Option<FileMode>) -> Self {
        self.not_executable = references::started(&self, &|path| plugins.exists(path));
        self.not_executable.retain(|script| mode(&script.path) == Some(FileMode::File));
        self
    }

    /// Compares a manifest with an earlier version of the plugin. `changed` are the paths that differ, below the plugin.
    #[must_use]
    pub fn with_earlier(mut self, earlier: &[u8], changed: Vec<RepoPath>) -> Self {
        self.unreleased = UnreleasedChange::detect(&self, earlier, changed);
        self
    }

    /// Compares a marketplace with the manifests of its plugins.
    #[must_use]
    pub fn with_manifests(mut self, exists: &dyn Fn(&RepoPath) -> bool, read: &dyn Fn(&RepoPath) -> Blob) -> Self {
        self.entry_versions = entry_versions::find(&self, exists, read);
        self
    }

    /// The root of the data, if it can be read.
    pub fn root(&self) -> Option<&Node> {
        self.data.as_ref()?.as_ref().ok()
    }
}
