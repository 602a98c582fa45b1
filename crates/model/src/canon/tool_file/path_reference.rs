//! A path in a tool file.

use canonry_text::node::Node;
use canonry_text::{PathEscape, RepoPath, Span};

/// A path in a file, and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathReference {
    /// The path as written.
    pub text: String,
    pub span: Span,
    pub role: PathRole,
    /// The path from the top of the repository.
    pub path: RepoPath,
    /// Whether the tool starts the file itself, so that it needs the right to be executed.
    pub is_started: bool,
    /// Where it is instead, if it does not exist: next to the manifest, from which authors take paths to start.
    pub beside_manifest: Option<RepoPath>,
}

impl PathReference {
    /// The path `text` in a node, which leads to `path`. The tool does not start it.
    pub(super) fn new(text: &str, node: &Node, role: PathRole, path: RepoPath) -> Self {
        Self { text: text.to_owned(), span: node.span, role, path, is_started: false, beside_manifest: None }
    }

    /// The same, and whether the tool starts the file.
    pub(super) fn started(self, is_started: bool) -> Self {
        Self { is_started, ..self }
    }
}

/// Role of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathRole {
    /// A part of a plugin, with the key that names it.
    Component(String),
    /// A plugin in a marketplace, with its name.
    Plugin(String),
    /// A script that a hook runs.
    Hook,
    /// The program of an MCP server, with the server's name.
    Server(String),
}

/// The path in a node, relative to a folder; `None` for an address, a pattern, or a path that leaves the repository.
pub(super) fn reference(node: &Node, base: &RepoPath, role: PathRole) -> Option<PathReference> {
    let text = node.as_str()?.trim();
    let is_plain = !text.is_empty() && !text.contains("://") && !text.contains(['$', '*', '<', '{', '\n']);
    let path = base.join("x").resolve_beside(text.as_bytes())?;
    (is_plain && PathEscape::detect(text).is_none()).then(|| PathReference::new(text, node, role, path))
}
