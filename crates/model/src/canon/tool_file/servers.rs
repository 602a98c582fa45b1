//! The MCP servers in a tool file.

use super::ToolFile;
use super::kind::{Role, ToolFileReader};
use canonry_text::node::{MappingEntry, Node};

/// An MCP server.
#[derive(Clone, Copy, Debug)]
pub struct ListedServer<'a> {
    /// The name of the server, and its keys.
    pub entry: &'a MappingEntry,
    /// The entry of the marketplace that has the server.
    pub plugin: Option<&'a Node>,
}

/// The keys that contain the servers, from the root; `None` if the file has no servers.
pub fn servers_path(file: &ToolFile) -> Option<&'static [&'static str]> {
    match (file.kind.reader, file.kind.role) {
        (_, Role::Manifest) | (ToolFileReader::AgentPlugins, Role::Servers) => Some(&["mcpServers"]),
        (reader, Role::Servers | Role::Settings) => {
            let row = reader.row()?.mcp?;
            file.path.as_bstr().ends_with(row.path.as_bytes()).then_some(row.root)
        }
        _ => None,
    }
}

/// The servers in a file.
pub fn servers(file: &ToolFile) -> Vec<ListedServer<'_>> {
    let Some(root) = file.root() else { return Vec::new() };
    if (file.kind.reader, file.kind.role) == (ToolFileReader::CLAUDE, Role::Marketplace) {
        let plugins = root.get("plugins").and_then(Node::as_sequence).unwrap_or_default().iter();
        return plugins.flat_map(|plugin| servers_below(plugin, &["mcpServers"], Some(plugin))).collect();
    }
    servers_path(file).map_or_else(Vec::new, |path| servers_below(root, path, None))
}

fn servers_below<'a>(node: &'a Node, path: &[&str], plugin: Option<&'a Node>) -> Vec<ListedServer<'a>> {
    let servers = path.iter().try_fold(node, |node, key| node.get(key));
    servers.into_iter().flat_map(Node::entries).map(|entry| ListedServer { entry, plugin }).collect()
}
