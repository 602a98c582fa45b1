//! The MCP servers that the permissions can name.

use crate::Workspace;
use canonry_agents::json::JsonSettings;
use canonry_lint::repo_facts::{PermissionServers, ServerTools};
use canonry_model::canon::Blob;
use canonry_model::canon::mcp_keys::canonical_key;
use canonry_repo::view::load::{DOCUMENT_LIMIT, PERMISSIONS_LIMIT};
use canonry_text::{RepoPath, Source};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The permissions page and the servers of `mcp.json`; `None` if one of them is missing or cannot be read.
pub(super) fn permission_servers(workspace: &Workspace) -> Option<PermissionServers> {
    let read = |path: &RepoPath, limit: u64| match workspace.view.read_kept(path, limit) {
        Blob::Bytes(bytes) => String::from_utf8(bytes).ok(),
        Blob::Missing(_) => None,
    };
    let path = workspace.layout.permissions();
    let page = read(&path, PERMISSIONS_LIMIT).filter(|page| page.to_lowercase().contains("mcp"))?;
    let settings = JsonSettings::parse(&read(&workspace.layout.mcp(), DOCUMENT_LIMIT)?).ok()?;
    let mut servers: BTreeMap<String, ServerTools> = BTreeMap::new();
    let own = ["claude", "gemini", "codex", "cursor", "antigravity"];
    let sections = own.iter().map(|tool| vec![(*tool).to_owned(), "mcpServers".to_owned()]);
    for section in std::iter::once(vec!["mcpServers".to_owned()]).chain(sections) {
        let Ok(Some(Value::Object(found))) = settings.get(&section) else { continue };
        for (name, server) in found {
            servers.entry(name.clone()).or_insert_with(|| tools(name, &server));
        }
    }
    let servers: Vec<ServerTools> = servers.into_values().collect();
    (!servers.is_empty()).then(|| PermissionServers { page: Arc::new(Source::new(path, page)), servers })
}

fn tools(name: String, server: &Value) -> ServerTools {
    let list = |wanted: &str| {
        let keys = server.as_object().into_iter().flatten();
        let mut lists = keys.filter(|(key, _)| canonical_key(key) == Some(wanted)).map(|(_, value)| value);
        let items = lists.next()?.as_array()?;
        Some(items.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>())
    };
    ServerTools { name, included: list("includeTools"), excluded: list("excludeTools").unwrap_or_default() }
}
