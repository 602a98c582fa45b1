//! Plugins whose version in the marketplace differs from the one in their manifest.

use super::local_plugins::local_plugins;
use super::{PLUGIN_MANIFEST, Role, ToolFile};
use crate::canon::Blob;
use canonry_text::node::Node;
use canonry_text::{RepoPath, Span, json};

/// A plugin with two versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryVersion {
    /// The name of the plugin.
    pub name: String,
    /// The version in the marketplace, and where it is.
    pub version: String,
    pub span: Span,
    /// The manifest, and the version in it.
    pub manifest: RepoPath,
    pub manifest_version: String,
}

/// Finds them in a marketplace. `read` returns the content of a manifest.
pub(super) fn find(
    file: &ToolFile,
    exists: &dyn Fn(&RepoPath) -> bool,
    read: &dyn Fn(&RepoPath) -> Blob,
) -> Vec<EntryVersion> {
    let Some(root) = file.root().filter(|_| file.kind.role == Role::Marketplace) else { return Vec::new() };
    let one = |entry: &Node, plugin: &RepoPath| {
        let node = entry.get("version")?;
        let version = node.as_str()?.to_owned();
        let manifest = plugin.join(PLUGIN_MANIFEST);
        let bytes = read(&manifest).into_bytes()?;
        let data = json::parse(std::str::from_utf8(&bytes).ok()?, 0).ok()?.root;
        let manifest_version = data.get("version")?.as_str()?.to_owned();
        let name = entry.get("name").and_then(Node::as_str).unwrap_or_default().to_owned();
        let span = node.span;
        (version != manifest_version).then_some(EntryVersion { name, version, span, manifest, manifest_version })
    };
    let plugins = local_plugins(root, &file.base, exists);
    plugins.iter().filter_map(|(entry, plugin)| one(entry, &plugin.path)).collect()
}
