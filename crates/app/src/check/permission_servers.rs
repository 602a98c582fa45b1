//! The MCP servers that the permissions can name.

use crate::Workspace;
use canonry_agents::mcp::{McpServer, definitions};
use canonry_lint::repo_facts::{PermissionServers, ServerTools};
use canonry_repo::view::load::{DOCUMENT_LIMIT, PERMISSIONS_LIMIT};
use canonry_text::{RepoPath, Source};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The permissions page and the servers of `mcp.json`; `None` if one of them is missing or cannot be read.
pub(super) fn permission_servers(workspace: &Workspace) -> Option<PermissionServers> {
    let read = |path: &RepoPath, limit: u64| workspace.view.read_kept(path, limit).into_text();
    let path = workspace.layout.permissions();
    let page = read(&path, PERMISSIONS_LIMIT).filter(|page| page.to_lowercase().contains("mcp"))?;
    let servers = definitions(&read(&workspace.layout.mcp(), DOCUMENT_LIMIT)?).into_iter();
    let servers: Vec<ServerTools> = servers.map(|(name, all)| tools(name, &all)).collect();
    (!servers.is_empty()).then(|| PermissionServers { page: Arc::new(Source::new(path, page)), servers })
}

/// The tools of a server in the first of its definitions.
fn tools(name: String, definitions: &Map<String, Value>) -> ServerTools {
    let options = definitions.values().find_map(|definition| Some(McpServer::parse(&name, definition).ok()?.options));
    let options = options.unwrap_or_default();
    ServerTools { name, included: options.include_tools, excluded: options.exclude_tools }
}
