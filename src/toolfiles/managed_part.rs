//! What of a shared file is ours, as a line of the lock names it: `<file>#<part>`, with the id of what the part says.

use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::hash::Kind;
use serde_json::Value;
use std::fmt;

/// How a file that people write too is edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// By key.
    Json,
    /// In a marked block.
    Markdown,
    /// In a marked block of comments, between which stands TOML.
    Toml,
    /// In a marked block of comments, between which each line stands for itself.
    Lines,
}

/// Every file that sync shares with people.
const SHARED: [(&str, FileFormat); 15] = [
    (".agents/mcp_config.json", FileFormat::Json),
    (".agents/skills.json", FileFormat::Json),
    (".claude/settings.json", FileFormat::Json),
    (".codex/config.toml", FileFormat::Toml),
    (".codex/hooks.json", FileFormat::Json),
    (".cursor/cli.json", FileFormat::Json),
    (".cursor/hooks.json", FileFormat::Json),
    (".cursor/mcp.json", FileFormat::Json),
    (".gemini/settings.json", FileFormat::Json),
    (".gitattributes", FileFormat::Lines),
    (".gitignore", FileFormat::Lines),
    (".mcp.json", FileFormat::Json),
    ("AGENTS.md", FileFormat::Markdown),
    ("CLAUDE.md", FileFormat::Markdown),
    ("GEMINI.md", FileFormat::Markdown),
];

/// Where files lie that are sync's as a whole, besides skills. Whatever a lock says, nothing else is taken for one.
const WHOLE: [&str; 13] = [
    ".agents/agents",
    ".agents/rules",
    ".agents/workflows",
    ".claude/agents",
    ".claude/commands",
    ".codex/agents",
    ".codex/rules",
    ".cursor/agents",
    ".cursor/commands",
    ".cursor/rules",
    ".gemini/agents",
    ".gemini/commands",
    ".gemini/policies",
];

/// How a file is edited; `None` where sync does not share it.
pub fn shared_format(file: &RepoPath) -> Option<FileFormat> {
    SHARED.iter().find(|(shared, _)| file.as_bstr() == *shared).map(|(_, form)| *form)
}

/// Whether a file may be one that sync writes as a whole, besides skills.
pub fn may_be_generated(path: &RepoPath) -> bool {
    // Asked of every line of a lock.
    let below =
        |folder: &str| path.as_bstr().strip_prefix(folder.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"));
    WHOLE.iter().any(|folder| below(folder))
}

/// A part of a shared file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ManagedPart {
    /// The file itself was made for the others.
    CreatedFile,
    /// The marked block.
    Block,
    /// A key.
    Key(Vec<String>),
    /// An item of a list.
    Item(Vec<String>),
    /// A container that was made for others.
    CreatedContainer(Vec<String>, Value),
}

impl ManagedPart {
    /// The path that stands in the lock.
    pub fn of(&self, file: &RepoPath) -> RepoPath {
        RepoPath::new([file.as_bstr().as_bytes(), b"#", self.to_string().as_bytes()].concat())
    }

    /// The file and the part that a path of the lock names; `None` where it names a file.
    pub fn from_lock_path(path: &RepoPath) -> Option<(RepoPath, Self)> {
        let (file, part) = path.as_bstr().split_once_str("#")?;
        let file = RepoPath::new(file);
        shared_format(&file)?;
        Some((file, Self::parse(part.to_str().ok()?)?))
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "new" => return Some(Self::CreatedFile),
            "block" => return Some(Self::Block),
            _ => {}
        }
        let plain = |key: &str| key.replace("~1", "/").replace("~0", "~");
        let mut keys: Vec<String> = text.strip_prefix('/')?.split('/').map(plain).collect();
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

    /// As a person would name it.
    pub fn in_words(&self) -> String {
        match self {
            Self::CreatedFile => "the file".to_owned(),
            Self::Block => "canonry's block".to_owned(),
            Self::Key(path) | Self::Item(path) | Self::CreatedContainer(path, _) => format!("`{}`", path.join(".")),
        }
    }
}

impl fmt::Display for ManagedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, end) = match self {
            Self::CreatedFile => return f.write_str("new"),
            Self::Block => return f.write_str("block"),
            Self::Key(path) => (path, None),
            Self::Item(path) => (path, Some("-".to_owned())),
            Self::CreatedContainer(path, empty) => (path, Some(empty.to_string())),
        };
        let keys = path.iter().map(|key| key.replace('~', "~0").replace('/', "~1"));
        keys.chain(end).try_for_each(|key| write!(f, "/{key}"))
    }
}

/// The id of a text.
pub fn text_id(text: &str, hash: Kind) -> ObjectId {
    bytes_id(text.as_bytes(), hash)
}

/// The id of bytes.
pub fn bytes_id(bytes: &[u8], hash: Kind) -> ObjectId {
    // An id that nothing has, where git cannot name the content, which it can of any.
    gix::objs::compute_hash(hash, gix::objs::Kind::Blob, bytes).unwrap_or_else(|_| ObjectId::null(hash))
}

/// The id of a value, whatever the order of its keys and however it is laid out.
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
    fn parts_are_named_by_the_lock() {
        let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
        for (part, want) in [
            (ManagedPart::CreatedFile, ".mcp.json#new"),
            (ManagedPart::Key(keys(&["mcpServers", "a/b~c"])), ".mcp.json#/mcpServers/a~1b~0c"),
            (ManagedPart::Item(keys(&["permissions", "allow"])), ".mcp.json#/permissions/allow/-"),
            (ManagedPart::CreatedContainer(keys(&["a"]), json!({})), ".mcp.json#/a/{}"),
            (ManagedPart::CreatedContainer(keys(&["a", "b"]), json!([])), ".mcp.json#/a/b/[]"),
        ] {
            let path = part.of(&RepoPath::from(".mcp.json"));
            assert_eq!(path, RepoPath::from(want));
            assert_eq!(ManagedPart::from_lock_path(&path), Some((RepoPath::from(".mcp.json"), part)));
        }
        for file in [".claude/skills/c#/SKILL.md", "src/main.rs#new", ".mcp.json", ".mcp.json#odd"] {
            assert_eq!(ManagedPart::from_lock_path(&RepoPath::from(file)), None, "{file}");
        }
    }

    #[test]
    fn values_are_the_same_however_they_are_laid_out() {
        let id = |value| value_id(&value, Kind::Sha1);
        assert_eq!(id(json!({"a": 1, "b": {"c": 2, "d": 3}})), id(json!({"b": {"d": 3, "c": 2}, "a": 1})));
        assert_ne!(id(json!([1, 2])), id(json!([2, 1])));
    }
}
