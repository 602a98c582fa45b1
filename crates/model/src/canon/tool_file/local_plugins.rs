//! The plugins of a marketplace that are in the same repository.

use super::path_reference::{PathReference, PathRole, reference};
use canonry_text::RepoPath;
use canonry_text::node::Node;

/// The entries of a marketplace for plugins in the same repository, with the places that they name.
pub(super) fn local_plugins<'a>(
    root: &'a Node,
    base: &RepoPath,
    exists: &dyn Fn(&RepoPath) -> bool,
) -> Vec<(&'a Node, PathReference)> {
    let mut found = Vec::new();
    let plugin_root = root.get("metadata").and_then(|metadata| metadata.get("pluginRoot")).and_then(Node::as_str);
    for entry in root.get("plugins").and_then(Node::as_sequence).unwrap_or_default() {
        let Some(source) = entry.get("source") else { continue };
        let is_local = source.get("source").and_then(Node::as_str) == Some("local");
        let Some(node) = (if is_local { source.get("path") } else { source.as_str().map(|_| source) }) else {
            continue;
        };
        let name = entry.get("name").and_then(Node::as_str).unwrap_or_default().to_owned();
        let Some(plugin) = reference(node, base, PathRole::Plugin(name)) else { continue };
        // A bare name is looked up in the configured folder.
        let below =
            |folder: &str| reference(node, &base.join("x").resolve_beside(folder.as_bytes())?, plugin.role.clone());
        let in_plugin_root = plugin_root.and_then(below).filter(|other| exists(&other.path));
        found.push((entry, in_plugin_root.unwrap_or(plugin)));
    }
    found
}
