//! MCP servers in the file and format of each tool.

mod codex;
mod json_tool;
mod options;
mod permitted;
mod server;
mod values;

use super::desired::{DesiredPart, DesiredToolFiles, PartContent};
use super::request::ToolFileRequest;
use crate::syntax::RepoPath;
use json_tool::{ANTIGRAVITY, CLAUDE, CURSOR, GEMINI, JsonTool};
use serde_json::json;
use server::McpServer;
use std::collections::BTreeSet;
use std::fmt;

const CODEX_FILE: &str = ".codex/config.toml";

/// Adds the servers for the configured tools.
pub(super) fn add(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let files = request.files;
    let switches = [
        (files.claude.mcp, &CLAUDE),
        (files.gemini.mcp, &GEMINI),
        (files.cursor.mcp, &CURSOR),
        (files.antigravity.mcp, &ANTIGRAVITY),
    ];
    let tools: Vec<&JsonTool> = switches.into_iter().filter(|(on, _)| *on).map(|(_, tool)| tool).collect();
    let canon = request.layout.mcp();
    let Some(text) = request.sources.get(&canon) else { return };
    let freeze = |desired: &mut DesiredToolFiles| {
        desired.frozen.extend(tools.iter().map(|tool| RepoPath::from(tool.file)));
        desired.frozen.extend(files.codex.mcp.then(|| RepoPath::from(CODEX_FILE)));
        desired.frozen.extend(files.claude.mcp.then(|| RepoPath::from(json_tool::CLAUDE_SETTINGS)));
    };
    if tools.is_empty() && !files.codex.mcp {
        return;
    }
    let parsed = text.map_err(ToString::to_string).and_then(|text| server::parse(text).map_err(|e| e.to_string()));
    let servers = match parsed {
        Ok(servers) => servers,
        Err(message) => {
            desired.add_problem(&canon, message);
            return freeze(desired);
        }
    };
    let mut invalid = BTreeSet::new();
    let mut valid = |tool: &str| -> Vec<McpServer> {
        let (valid, errors): (Vec<_>, Vec<_>) = servers.servers_for(tool).into_iter().partition(Result::is_ok);
        invalid.extend(errors.into_iter().filter_map(Result::err));
        valid.into_iter().filter_map(Result::ok).collect()
    };
    for tool in &tools {
        valid(tool.key).iter().for_each(|server| add_to_json(tool, server, &canon, desired));
    }
    if files.codex.mcp {
        let permitted = permitted::servers(valid("codex"), request);
        permitted.iter().for_each(|server| add_to_codex(server, &canon, desired));
    }
    if !invalid.is_empty() {
        freeze(desired);
        invalid.into_iter().for_each(|server| desired.add_problem(&canon, server.to_string()));
    }
}

/// The names of the servers that a tool gets, if it gets servers.
pub(super) fn server_names(request: &ToolFileRequest<'_>, tool: &str) -> BTreeSet<String> {
    if tool == "codex" && !request.files.codex.mcp {
        return BTreeSet::new();
    }
    let text = request.sources.get(&request.layout.mcp()).and_then(Result::ok);
    let servers = text.and_then(|text| server::parse(text).ok()).map(|servers| servers.servers_for(tool));
    servers.into_iter().flatten().filter_map(Result::ok).map(|server| server.name).collect()
}

fn add_to_json(tool: &JsonTool, server: &McpServer, canon: &RepoPath, desired: &mut DesiredToolFiles) {
    match tool.entry(server) {
        Ok(entry) => {
            desired.add_key(tool.file, &["mcpServers", &server.name], entry.value, canon);
            for (list, permission) in entry.permissions {
                desired.add_item(json_tool::CLAUDE_SETTINGS, &["permissions", list], json!(permission), canon);
            }
            report_left_out(tool.key, tool.name, server, &entry.left_out, canon, desired);
        }
        Err(error) => report_server(tool.key, tool.name, server, &error, canon, desired),
    }
}

fn add_to_codex(server: &McpServer, canon: &RepoPath, desired: &mut DesiredToolFiles) {
    match codex::table(server) {
        Ok(codex::CodexTable { text, left_out }) => {
            let path = vec!["mcp_servers".to_owned(), server.name.clone()];
            let content = PartContent::Table { path, text };
            desired.parts.push(DesiredPart { file: RepoPath::from(CODEX_FILE), canon: canon.clone(), content });
            report_left_out("codex", "Codex CLI", server, &left_out, canon, desired);
        }
        Err(error) => report_server("codex", "Codex CLI", server, &error, canon, desired),
    }
}

/// Reports a server that a tool does not get.
fn report_server(
    key: &str,
    tool: &str,
    server: &McpServer,
    error: &dyn fmt::Display,
    canon: &RepoPath,
    desired: &mut DesiredToolFiles,
) {
    let message = format!("`{}` is not written for {tool}: {error}", server.name);
    desired.add_omission(canon, format!("{key}/mcp/{}", server.name), message);
}

/// Reports the keys of a server that a tool gets without them.
fn report_left_out(
    key: &str,
    tool: &str,
    server: &McpServer,
    left_out: &[String],
    canon: &RepoPath,
    desired: &mut DesiredToolFiles,
) {
    let name = &server.name;
    for option in left_out {
        let message = match server.options.unknown.contains(option) {
            true => format!("`{option}` of `{name}` is not written for {tool}: canonry does not know this key"),
            false => format!("`{option}` of `{name}` is not written for {tool}, which has no equivalent"),
        };
        desired.add_omission(canon, format!("{key}/mcp/{name}.{option}"), message);
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
