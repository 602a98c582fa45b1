//! `mcp.json`: the canonical MCP servers, in the format of Claude Code.

use super::server::McpServer;
use super::values::ServerError;
use crate::json::{JsonPathError, JsonSettings, OutlineError};
use canonry_model::config::TOOLS;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The servers of the canon. Each can be invalid by itself.
pub(super) struct ServerFile {
    /// For all tools.
    shared: Vec<(String, ServerEntry)>,
    /// By the name of a tool: servers besides the shared ones, or in place of the one with the same name; `None` removes
    /// one.
    own: Vec<ToolServers>,
}

/// The servers of one tool.
struct ToolServers {
    tool: &'static str,
    servers: Vec<(String, Option<ServerEntry>)>,
}

/// A server that is disabled is `Ok(None)`.
type ServerEntry = Result<Option<McpServer>, InvalidServer>;

/// Parses the file.
///
/// # Errors
/// The file as a whole is invalid.
pub(super) fn parse(text: &str) -> Result<ServerFile, McpFileError> {
    let settings = JsonSettings::parse(text)?;
    let section = |path: &[&str]| {
        let path: Vec<String> = path.iter().map(|key| (*key).to_owned()).collect();
        settings.get(&path)
    };
    let Some(Value::Object(servers)) = section(&["mcpServers"])? else {
        return Err(McpFileError::NoServers);
    };
    let shared = servers.iter().map(|(name, value)| (name.clone(), parse_server(name, value))).collect();
    let mut own = Vec::new();
    for tool in TOOLS.iter().map(|row| row.id) {
        let servers = match section(&[tool])? {
            None => continue,
            Some(Value::Object(section)) => section.get("mcpServers").cloned(),
            Some(_) => None,
        };
        let Some(Value::Object(servers)) = servers else {
            return Err(McpFileError::InvalidSection(tool));
        };
        let entry =
            |(name, value): (&String, &Value)| (name.clone(), (!value.is_null()).then(|| parse_server(name, value)));
        own.push(ToolServers { tool, servers: servers.iter().map(entry).collect() });
    }
    Ok(ServerFile { shared, own })
}

/// The definitions of each server as they are written, by its name and by the section: `mcpServers`, or a tool.
pub fn definitions(text: &str) -> BTreeMap<String, Map<String, Value>> {
    let mut found: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    let Ok(settings) = JsonSettings::parse(text) else { return found };
    let shared = ("mcpServers", vec!["mcpServers".to_owned()]);
    let own = TOOLS.iter().map(|row| (row.id, vec![row.id.to_owned(), "mcpServers".to_owned()]));
    for (section, path) in std::iter::once(shared).chain(own) {
        let Ok(Some(Value::Object(servers))) = settings.get(&path) else { continue };
        for (name, mut definition) in servers {
            definition.sort_all_objects();
            found.entry(name).or_default().insert(section.to_owned(), definition);
        }
    }
    found
}

/// Why `mcp.json` as a whole is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum McpFileError {
    #[error("it is not valid JSON: {0}")]
    Json(#[from] OutlineError),
    #[error(transparent)]
    Path(#[from] JsonPathError),
    #[error("it has no object `mcpServers`")]
    NoServers,
    #[error("`{0}` must be an object with an object `mcpServers`")]
    InvalidSection(&'static str),
}

/// A server that no tool gets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("`{name}`: {reason}")]
pub(super) struct InvalidServer {
    name: String,
    reason: ServerError,
}

impl ServerFile {
    /// The servers of a tool that are not disabled.
    pub fn servers_for(&self, tool: &str) -> Vec<Result<McpServer, InvalidServer>> {
        let own = self.own.iter().find(|own| own.tool == tool).map_or(&[][..], |own| own.servers.as_slice());
        let is_replaced = |name: &String| own.iter().any(|(other, _)| other == name);
        let shared = self.shared.iter().filter(|(name, _)| !is_replaced(name)).map(|(_, server)| server);
        let servers = shared.chain(own.iter().filter_map(|(_, server)| server.as_ref()));
        servers.filter_map(|server| server.clone().transpose()).collect()
    }
}

fn parse_server(name: &str, value: &Value) -> ServerEntry {
    let parsed = McpServer::parse(name, value).and_then(|server| match server.misfits.first() {
        Some(key) => Err(server.misfit(key)),
        None => Ok((!server.is_disabled).then_some(server)),
    });
    parsed.map_err(|reason| InvalidServer { name: name.to_owned(), reason })
}
