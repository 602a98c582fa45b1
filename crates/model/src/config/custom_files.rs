//! The keys `mcp` and `context` of a row in the config.

use super::custom_targets::{canon, is_plain, place_problem};
use super::files::CustomFiles;
use super::problem::ConfigProblem;
use super::target::{Target, intern, is_mirror_path};
use crate::tools::tool_formats::{ContextForm, McpFormat};
use crate::tools::{McpRow, ToolRow};
use crate::tools::{TOOLS, tool_row};
use canonry_text::node::{MappingEntry, Node};
use canonry_text::{RepoPath, Span};
use std::collections::BTreeMap;

/// Reads the files of every row that the table does not have.
pub(super) fn files(root: &Node) -> Vec<CustomFiles> {
    let rows = root.entries_at("targets").iter().filter(|row| tool_row(&row.key).is_none());
    let own = rows.map(|row| CustomFiles {
        name: intern(&row.key),
        context: row.value.get("context").and_then(context),
        mcp: row.value.get("mcp").and_then(servers),
    });
    own.filter(|own| own.context.is_some() || own.mcp.is_some()).collect()
}

fn context(node: &Node) -> Option<(&'static str, ContextForm)> {
    let form = match node.get("mode").and_then(Node::as_str) {
        Some("import") => ContextForm::Import("@"),
        _ => ContextForm::Text,
    };
    Some((intern(node.get("file")?.as_str()?), form))
}

fn servers(node: &Node) -> Option<McpRow> {
    let known = tool_row(node.get("format")?.as_str()?)?.mcp?;
    Some(McpRow { path: intern(node.get("path")?.as_str()?), ..known })
}

/// Problems with the files of the rows.
pub(super) fn problems(root: &Node) -> Vec<ConfigProblem> {
    let rows = root.entries_at("targets");
    rows.iter().flat_map(|row| row_problems(row, canon(root))).chain(shared(rows)).collect()
}

fn row_problems(row: &MappingEntry, canon: &str) -> Vec<ConfigProblem> {
    let is_known = tool_row(&row.key).is_some();
    let part = |key: &str, path: &str, kind: CustomFileFormat| -> Option<ConfigProblem> {
        let node = row.value.get(key)?;
        if is_known {
            let message = format!("canonry knows the files of `{0}`: write `files: {{{0}: …}}`", row.key);
            return Some(ConfigProblem { span: node.span, message });
        }
        let path = node.get(path)?;
        let span: Span = path.span;
        let text: &str = path.as_str()?;
        let problem = file_problem(text, canon, kind)?;
        Some(ConfigProblem { span, message: format!("`{text}` {problem}") })
    };
    let servers = part("mcp", "path", CustomFileFormat::Json);
    let context = part("context", "file", CustomFileFormat::Markdown);
    servers.into_iter().chain(context).collect()
}

/// Files that two rows name.
fn shared(rows: &[MappingEntry]) -> Vec<ConfigProblem> {
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    let mut found = Vec::new();
    for row in rows {
        for (key, path) in [("mcp", "path"), ("context", "file")] {
            let node = row.value.get(key).and_then(|node| node.get(path));
            let Some((span, text)) = node.and_then(|node| Some((node.span, node.as_str()?))) else { continue };
            if let Some(other) = owners.insert(text.to_lowercase(), &row.key) {
                found.push(ConfigProblem { span, message: format!("`{text}` is the file of `{other}` too") });
            }
        }
    }
    found
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CustomFileFormat {
    Json,
    Markdown,
}

/// Why a file cannot belong to a row. The form is strict, so that a lock alone tells such files from others.
fn file_problem(path: &str, canon: &str, kind: CustomFileFormat) -> Option<String> {
    if let Some(problem) = place_problem(path, canon, "file") {
        return Some(problem);
    }
    let file = RepoPath::from(path);
    if is_mirror_path(&file) || Target::holding(&file).is_some() {
        return Some("is in a mirror of skills".to_owned());
    }
    if let Some(row) = TOOLS.iter().find(|row| is_file_of(row, &file)) {
        return Some(format!("belongs to `{}`", row.id));
    }
    let parts: Vec<&str> = path.split('/').collect();
    let is_named = parts.iter().all(|part| !matches!(*part, "" | ".") && is_plain(part));
    let is_hidden = path.starts_with('.');
    match kind {
        _ if !is_named => Some("is not a plain path".to_owned()),
        CustomFileFormat::Json if !(is_hidden && path.ends_with(".json")) => {
            Some("does not have the form `.NAME/FILE.json`".to_owned())
        }
        CustomFileFormat::Markdown if !((is_hidden || parts.len() == 1) && path.ends_with(".md")) => {
            Some("does not have the form `FILE.md` or `.NAME/FILE.md`".to_owned())
        }
        CustomFileFormat::Json | CustomFileFormat::Markdown => None,
    }
}

/// Whether the table says what a file is for.
fn is_file_of(row: &ToolRow, file: &RepoPath) -> bool {
    let context = row.context.iter().map(|context| context.file);
    let servers = row.mcp.iter().map(|mcp| mcp.path);
    let commands = row.commands.iter().map(|commands| commands.folder);
    let permissions = row.permissions.iter().flat_map(|rules| std::iter::once(rules.path).chain(rules.commands));
    let subagents = row.subagents.iter().map(|subagents| subagents.folder);
    let hooks = row.hooks.iter().flat_map(|hooks| std::iter::once(hooks.path).chain(hooks.team_path));
    let all = context.chain(servers).chain(commands).chain(permissions).chain(hooks);
    all.chain(subagents).chain(row.ignore).any(|path| file.is_within(&RepoPath::from(path)))
}

impl McpRow {
    /// Whether a row of a config can have this format: its file is JSON.
    pub fn is_json(&self) -> bool {
        matches!(self.format, McpFormat::Json(_) | McpFormat::OpenCode)
    }
}
