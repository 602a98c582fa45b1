//! Managed parts of shared files, and their form in the lock: `<file>#<part>` with the id of the part's content.

use bstr::ByteSlice;
use canonry_model::canon::tree::blob_id;
use canonry_model::config::{ContextRow, TOOLS, ToolRow, is_mirror_path};
use canonry_model::tools::tool_formats::{ContextForm, McpFormat};
use canonry_text::RepoPath;
use gix_hash::Kind;
use gix_hash::ObjectId;
use serde_json::Value;
use std::fmt;

/// Way of editing a shared file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManagedFormat {
    /// By key.
    Json,
    /// In a managed block.
    Markdown,
    /// In a managed block of TOML tables.
    Toml,
    /// In a managed block of independent lines.
    Lines,
}

/// The text files that sync shares with users, besides those of the table of tools.
const SHARED_FILES: [&str; 3] = [".aiexclude", ".gitattributes", ".gitignore"];

/// Returns how a file is edited; `None` if sync does not share it.
pub fn shared_format(file: &RepoPath) -> Option<ManagedFormat> {
    // Rules for one folder are in a block of its own AGENTS.md.
    if file.as_bstr().ends_with(b"/AGENTS.md") {
        return Some(ManagedFormat::Markdown);
    }
    if SHARED_FILES.iter().any(|shared| file.as_bstr() == *shared) {
        return Some(ManagedFormat::Lines);
    }
    let mut rows = TOOLS.iter().filter(|row| row.is_written());
    rows.find_map(|row| format_in_row(row, file)).or_else(|| format_by_name(file))
}

/// Way of editing a file of the table.
fn format_in_row(row: &ToolRow, file: &RepoPath) -> Option<ManagedFormat> {
    let is_it = |path: &str| file.as_bstr() == path;
    let servers = row.mcp.as_ref().filter(|mcp| is_it(mcp.path)).map(|mcp| match mcp.format {
        McpFormat::Json(_) | McpFormat::OpenCode => ManagedFormat::Json,
        McpFormat::CodexToml => ManagedFormat::Toml,
    });
    let is_text = |context: &&ContextRow| !matches!(context.mode, ContextForm::Rules(_)) && is_it(context.file);
    servers
        .or_else(|| row.context.iter().find(is_text).map(|_| ManagedFormat::Markdown))
        .or_else(|| row.ignore.filter(|name| is_it(name)).map(|_| ManagedFormat::Lines))
}

/// Way of editing settings of the table, and a file that only a row of a config can name.
fn format_by_name(file: &RepoPath) -> Option<ManagedFormat> {
    let name = file.as_bstr();
    let is_hidden = name.starts_with(b".");
    let is_at_top = !name.contains(&b'/');
    match (name.ends_with(b".json"), name.ends_with(b".md")) {
        _ if is_mirror_path(file) => None,
        (true, _) if is_hidden => Some(ManagedFormat::Json),
        (_, true) if is_hidden || is_at_top => Some(ManagedFormat::Markdown),
        _ => None,
    }
}

/// The folders in which sync may own files other than skills completely. Lock entries elsewhere are never treated as generated
/// files.
pub fn generated_folders() -> impl Iterator<Item = &'static str> {
    let rows = TOOLS.iter().filter(|row| row.is_written());
    rows.flat_map(|row| {
        let subagents = row.subagents.filter(|subagents| subagents.format.is_some());
        let plugin = row.hooks.as_ref().filter(|hooks| hooks.is_plugin()).map(|hooks| hooks.path);
        let rules = row.permissions.as_ref().and_then(|permissions| permissions.commands);
        let folders_of_files = [plugin, rules].map(|path| Some(path?.rsplit_once('/')?.0));
        [
            row.rule_folder().map(|(folder, _)| folder),
            row.commands.map(|commands| commands.folder),
            subagents.map(|subagents| subagents.folder),
        ]
        .into_iter()
        .chain(folders_of_files)
        .flatten()
    })
}

/// Checks whether sync may own a file other than a skill completely.
pub fn may_be_generated(path: &RepoPath) -> bool {
    let is_below =
        |folder: &str| path.as_bstr().strip_prefix(folder.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"));
    generated_folders().any(is_below)
}

/// A part of a shared file that sync owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ManagedPart {
    /// Sync created the file for the other parts.
    CreatedFile,
    /// The managed block.
    Block,
    /// A JSON key.
    Key(Vec<String>),
    /// An item of a JSON list.
    Item(Vec<String>),
    /// A JSON container that sync created for other parts, with its empty value.
    CreatedContainer(Vec<String>, Value),
}

impl ManagedPart {
    /// Returns the path of the lock entry.
    pub fn lock_path(&self, file: &RepoPath) -> RepoPath {
        RepoPath::new([file.as_bstr().as_bytes(), b"#", self.lock_suffix().as_bytes()].concat())
    }

    /// Parses a lock path into the file and the part; `None` if it names a whole file.
    pub fn from_lock_path(path: &RepoPath) -> Option<(RepoPath, Self)> {
        let at = path.as_bstr().find_byte(b'#')?;
        let file = RepoPath::new(&path.as_bstr()[..at]);
        shared_format(&file)?;
        Some((file, Self::parse(path.as_bstr()[at + 1..].to_str().ok()?)?))
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "new" => return Some(Self::CreatedFile),
            "block" => return Some(Self::Block),
            _ => {}
        }
        let unescape = |key: &str| key.replace("~1", "/").replace("~0", "~");
        let mut keys: Vec<String> = text.strip_prefix('/')?.split('/').map(unescape).collect();
        let last = keys.last().cloned()?;
        let container = match last.as_str() {
            "-" => None,
            "{}" => Some(Value::Object(serde_json::Map::new())),
            "[]" => Some(Value::Array(Vec::new())),
            _ => return Some(Self::Key(keys)),
        };
        keys.pop();
        Some(container.map_or_else(|| Self::Item(keys.clone()), |empty| Self::CreatedContainer(keys.clone(), empty)))
    }

    /// A JSON pointer, followed by `-` for an item or by the empty container.
    fn lock_suffix(&self) -> String {
        let (path, end) = match self {
            Self::CreatedFile => return "new".to_owned(),
            Self::Block => return "block".to_owned(),
            Self::Key(path) => (path, None),
            Self::Item(path) => (path, Some("-".to_owned())),
            Self::CreatedContainer(path, empty) => (path, Some(empty.to_string())),
        };
        let keys = path.iter().map(|key| key.replace('~', "~0").replace('/', "~1"));
        keys.chain(end).map(|key| format!("/{key}")).collect()
    }
}

impl fmt::Display for ManagedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CreatedFile => f.write_str("the file"),
            Self::Block => f.write_str("the canonry block"),
            Self::Key(path) | Self::Item(path) | Self::CreatedContainer(path, _) => write!(f, "`{}`", path.join(".")),
        }
    }
}

pub fn text_id(text: &str, hash: Kind) -> ObjectId {
    blob_id(text.as_bytes(), hash)
}

/// Returns the id of a JSON value, independent of key order and formatting.
pub fn value_id(value: &Value, hash: Kind) -> ObjectId {
    let mut value = value.clone();
    value.sort_all_objects();
    text_id(&value.to_string(), hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lock_paths_round_trip() {
        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        for (part, want) in [
            (ManagedPart::CreatedFile, ".mcp.json#new"),
            (ManagedPart::Key(keys(&["mcpServers", "a/b~c"])), ".mcp.json#/mcpServers/a~1b~0c"),
            (ManagedPart::Item(keys(&["permissions", "allow"])), ".mcp.json#/permissions/allow/-"),
            (ManagedPart::CreatedContainer(keys(&["a"]), json!({})), ".mcp.json#/a/{}"),
            (ManagedPart::CreatedContainer(keys(&["a", "b"]), json!([])), ".mcp.json#/a/b/[]"),
        ] {
            let path = part.lock_path(&RepoPath::from(".mcp.json"));
            assert_eq!(path, RepoPath::from(want));
            assert_eq!(ManagedPart::from_lock_path(&path), Some((RepoPath::from(".mcp.json"), part)));
        }
        for file in [".claude/skills/c#/SKILL.md", "src/main.rs#new", ".mcp.json", ".mcp.json#odd"] {
            assert_eq!(ManagedPart::from_lock_path(&RepoPath::from(file)), None, "{file}");
        }
    }

    #[test]
    fn value_ids_ignore_key_order() {
        let id = |value| value_id(&value, Kind::Sha1);
        assert_eq!(id(json!({"a": 1, "b": {"c": 2, "d": 3}})), id(json!({"b": {"d": 3, "c": 2}, "a": 1})));
        assert_ne!(id(json!([1, 2])), id(json!([2, 1])));
    }
}
