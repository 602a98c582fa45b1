//! MCP servers: one type, parsed from the file of any tool and rendered for any tool.

mod canon;
mod codex;
mod json;
mod keys;
mod opencode;
mod options;
mod permitted;
mod server;
mod values;
mod variables;

use super::desired::{DesiredPart, DesiredToolFiles, PartContent};
use super::request::ToolFileRequest;
pub use canon::definitions;
use canonry_model::config::TOOLS;
use canonry_model::config::files::McpTool;
use canonry_model::tools::tool_formats::{JsonServers, McpFormat};
use canonry_text::RepoPath;
use json::{CANON, ServerWriter};
pub use keys::{add_inferred_type, canonical_key};
use serde_json::{Value, json};
pub use server::{McpServer, RenderedServer, Transport, UnsupportedServer};
use std::collections::BTreeSet;
use std::fmt;
pub use values::ServerError;
pub use variables::{VariableError, canonical_variables};

/// The file with Claude Code's permissions.
const CLAUDE_SETTINGS: &str = ".claude/settings.json";

impl McpServer {
    /// The server in a tool's format.
    ///
    /// # Errors
    /// The tool must not get it, because it could do more there.
    pub fn render(&self, format: &McpFormat) -> Result<RenderedServer, UnsupportedServer> {
        match format {
            McpFormat::Json(form) => self.render_json(form),
            McpFormat::OpenCode => opencode::entry(self),
            McpFormat::CodexToml => codex::entry(self),
        }
    }

    /// The server with the keys of a JSON format.
    ///
    /// # Errors
    /// See [`Self::render`].
    pub fn render_json(&self, form: &JsonServers) -> Result<RenderedServer, UnsupportedServer> {
        ServerWriter { form }.entry(self)
    }

    /// The server in the format of the canon.
    ///
    /// # Errors
    /// It has a restriction that the canon cannot express.
    pub fn render_canon(&self) -> Result<RenderedServer, UnsupportedServer> {
        let mut rendered = self.render_json(&CANON)?;
        if let Some(keys) = rendered.value.as_object_mut().filter(|_| self.is_disabled) {
            keys.insert("disabled".to_owned(), json!(true));
        }
        Ok(rendered)
    }
}

/// Adds the servers for the configured tools.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let mut tools = request.files.mcp_tools();
    tools.sort_by_key(|tool| tool.row.format == McpFormat::CodexToml);
    let canon = request.layout.mcp();
    let Some(text) = request.sources.get(&canon).filter(|_| !tools.is_empty()) else { return };
    let freeze = |desired: &mut DesiredToolFiles| {
        desired.frozen.extend(tools.iter().map(|tool| RepoPath::from(tool.row.path)));
        desired.frozen.extend(request.files.tool("claude").mcp.then(|| RepoPath::from(CLAUDE_SETTINGS)));
    };
    let parsed = text.map_err(ToString::to_string).and_then(|text| canon::parse(text).map_err(|e| e.to_string()));
    let servers = match parsed {
        Ok(servers) => servers,
        Err(message) => {
            desired.add_problem(&canon, message);
            return freeze(desired);
        }
    };
    let mut invalid = BTreeSet::new();
    for tool in &tools {
        let (valid, errors): (Vec<_>, Vec<_>) = servers.servers_for(tool.key).into_iter().partition(Result::is_ok);
        invalid.extend(errors.into_iter().filter_map(Result::err));
        let valid = valid.into_iter().filter_map(Result::ok);
        let valid: Vec<McpServer> = valid.filter(|server| !request.sources.withholds_server(&server.name)).collect();
        let permitted = if tool.key == "codex" { permitted::servers(valid, request) } else { valid };
        permitted.iter().for_each(|server| add_server(tool, server, &canon, desired));
    }
    if !invalid.is_empty() {
        freeze(desired);
        invalid.into_iter().for_each(|server| desired.add_problem(&canon, server.to_string()));
    }
}

/// Whether a value in a tool's file means the same to the tool as the desired one. Equal servers may differ in order, in
/// defaults, in the tool's names for a key, and in keys that the canon does not have.
pub(super) fn is_same_value(file: &RepoPath, path: &[String], current: &Value, desired: &Value) -> bool {
    current == desired || path.last().is_some_and(|name| is_same_server(file, name, current, desired))
}

fn is_same_server(file: &RepoPath, name: &str, current: &Value, desired: &Value) -> bool {
    let mut rows = TOOLS.iter().filter_map(|row| row.mcp.as_ref());
    let Some(row) = rows.find(|row| *file == RepoPath::from(row.path)) else { return false };
    let lacks_type = |server: &Value| server.get("url").is_some() && server.get("type").is_none();
    if lacks_type(current) && !lacks_type(desired) && row.path != INFERS_TYPE {
        return false;
    }
    let mut current = current.clone();
    canonical_variables(&mut current);
    add_inferred_type(&row.format, &mut current);
    let server = McpServer::parse(name, &current).ok().filter(|server| !server.is_disabled);
    let rendered = server.and_then(|server| server.render(&row.format).ok());
    rendered.is_some_and(|rendered| rendered.value == *desired)
}

/// VS Code infers a missing `type`: its `IMcpConfigurationHTTP` has `type?: 'http'`.
/// <https://github.com/microsoft/vscode/blob/main/src/vs/platform/mcp/common/mcpPlatformTypes.ts>
const INFERS_TYPE: &str = ".vscode/mcp.json";

/// The names of the servers that a tool gets, if it gets servers.
pub(super) fn server_names(request: &ToolFileRequest<'_>, tool: &str) -> BTreeSet<String> {
    if tool == "codex" && !request.files.tool("codex").mcp {
        return BTreeSet::new();
    }
    let text = request.sources.get(&request.layout.mcp()).and_then(Result::ok);
    let servers = text.and_then(|text| canon::parse(text).ok()).map(|servers| servers.servers_for(tool));
    let names = servers.into_iter().flatten().filter_map(Result::ok).map(|server| server.name);
    names.filter(|name| !request.sources.withholds_server(name)).collect()
}

/// The servers of a tool whose tools are filtered, by name.
pub(super) fn filtered_servers(text: &str, tool: &str) -> Vec<String> {
    let servers = canon::parse(text).map(|servers| servers.servers_for(tool)).unwrap_or_default();
    let servers = servers.into_iter().filter_map(Result::ok);
    servers.filter(|server| server.options.is_filtered()).map(|server| server.name).collect()
}

fn add_server(tool: &McpTool, server: &McpServer, canon: &RepoPath, desired: &mut DesiredToolFiles) {
    let rendered = match server.render(&tool.row.format) {
        Ok(rendered) => rendered,
        Err(error) => return report_server(tool, server, &error, canon, desired),
    };
    let path = part_path(tool, server);
    let content = if tool.row.format == McpFormat::CodexToml {
        PartContent::Table { path, text: codex::table_text(&server.name, &rendered.value) }
    } else {
        PartContent::Key { path, value: rendered.value }
    };
    desired.parts.push(DesiredPart { file: RepoPath::from(tool.row.path), canon: canon.clone(), content });
    for (list, permission) in rendered.permissions {
        desired.add_item(CLAUDE_SETTINGS, &["permissions", list], json!(permission), canon);
    }
    report_left_out(tool, server, &rendered.left_out, canon, desired);
}

/// The keys of a server from the root.
fn part_path(tool: &McpTool, server: &McpServer) -> Vec<String> {
    tool.row.root.iter().map(|key| (*key).to_owned()).chain([server.name.clone()]).collect()
}

/// Reports a server that a tool does not get.
fn report_server(
    tool: &McpTool,
    server: &McpServer,
    error: &dyn fmt::Display,
    canon: &RepoPath,
    desired: &mut DesiredToolFiles,
) {
    let message = format!("`{}` is not written for {}: {error}", server.name, tool.name);
    desired.add_omission(canon, format!("{}/mcp/{}", tool.key, server.name), message);
}

/// Reports the keys of a server that a tool gets without them.
fn report_left_out(
    tool: &McpTool,
    server: &McpServer,
    left_out: &[String],
    canon: &RepoPath,
    desired: &mut DesiredToolFiles,
) {
    let title = tool.name;
    let name = &server.name;
    for option in left_out {
        let message = if server.options.unknown.contains_key(option) {
            format!("`{option}` of `{name}` is not written for {title}: canonry does not know this key")
        } else {
            format!("`{option}` of `{name}` is not written for {title}, which has no equivalent")
        };
        desired.add_omission(canon, format!("{}/mcp/{name}.{option}", tool.key), message);
    }
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
#[path = "tests.rs"]
mod tests;
