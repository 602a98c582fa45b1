//! The MCP servers in a tool file.

use super::ToolFile;
use super::kind::{Reader, Role};
use crate::syntax::node::{MappingEntry, Node};

/// An MCP server.
#[derive(Clone, Copy, Debug)]
pub struct McpServer<'a> {
    pub name: &'a str,
    pub entry: &'a MappingEntry,
    pub node: &'a Node,
}

/// The key that contains the servers; `None` if the file has no servers.
pub fn servers_key(file: &ToolFile) -> Option<&'static str> {
    match (file.kind.reader, file.kind.role) {
        (Reader::VsCode, Role::Servers) => Some("servers"),
        (_, Role::Servers | Role::Manifest) | (Reader::Gemini, Role::Settings) => Some("mcpServers"),
        (Reader::Codex, Role::Settings) => Some("mcp_servers"),
        _ => None,
    }
}

/// The servers in a file.
pub fn servers(file: &ToolFile) -> Vec<McpServer<'_>> {
    let found = servers_key(file).zip(file.root()).and_then(|(key, root)| root.get(key)?.as_mapping());
    let entries = found.into_iter().flat_map(|servers| &servers.entries);
    entries.map(|entry| McpServer { name: &entry.key, entry, node: &entry.value }).collect()
}
