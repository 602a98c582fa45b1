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

/// The key that contains the servers; `None` if the file has no servers.
pub fn servers_key(file: &ToolFile) -> Option<&'static str> {
    match (file.kind.reader, file.kind.role) {
        (ToolFileReader::VsCode, Role::Servers) => Some("servers"),
        (_, Role::Servers | Role::Manifest) | (ToolFileReader::Gemini, Role::Settings) => Some("mcpServers"),
        (ToolFileReader::Codex, Role::Settings) => Some("mcp_servers"),
        _ => None,
    }
}

/// The servers in a file.
pub fn servers(file: &ToolFile) -> Vec<ListedServer<'_>> {
    let Some(root) = file.root() else { return Vec::new() };
    if (file.kind.reader, file.kind.role) == (ToolFileReader::Claude, Role::Marketplace) {
        let plugins = root.get("plugins").and_then(Node::as_sequence).unwrap_or_default().iter();
        return plugins.flat_map(|plugin| servers_below(plugin, "mcpServers", Some(plugin))).collect();
    }
    servers_key(file).map_or_else(Vec::new, |key| servers_below(root, key, None))
}

fn servers_below<'a>(node: &'a Node, key: &str, plugin: Option<&'a Node>) -> Vec<ListedServer<'a>> {
    let entries = node.entries_at(key).iter();
    entries.map(|entry| ListedServer { entry, plugin }).collect()
}
