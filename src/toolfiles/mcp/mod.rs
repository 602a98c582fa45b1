//! MCP servers in the file and format of each tool.

mod codex;
mod server;

use super::desired::{DesiredPart, DesiredToolFiles, PartContent};
use super::request::ToolFileRequest;
use crate::syntax::RepoPath;
use serde_json::{Map, Value, json};
use server::{McpServer, Protocol, Transport, VariableError, VariableSyntax};
use std::collections::BTreeSet;

/// A tool with its servers in a JSON file.
struct JsonTool {
    /// The name in the config.
    key: &'static str,
    name: &'static str,
    file: &'static str,
    variables: VariableSyntax,
    /// The key of the URL of a streamable HTTP server.
    http_url_key: &'static str,
    /// The key of the URL of an SSE server.
    sse_url_key: &'static str,
    /// The tool requires the type of a remote server.
    needs_type: bool,
    has_web_sockets: bool,
}

/// A server that a tool cannot use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum JsonToolError {
    #[error(transparent)]
    Variable(#[from] VariableError),
    #[error("it does not support WebSocket servers")]
    WebSocket,
}

const CLAUDE: JsonTool = JsonTool {
    key: "claude",
    name: "Claude Code",
    file: ".mcp.json",
    variables: VariableSyntax::Shell,
    http_url_key: "url",
    sse_url_key: "url",
    needs_type: true,
    has_web_sockets: true,
};
const GEMINI: JsonTool = JsonTool {
    key: "gemini",
    name: "Gemini CLI",
    file: ".gemini/settings.json",
    variables: VariableSyntax::ShellWithoutDefault,
    http_url_key: "httpUrl",
    sse_url_key: "url",
    needs_type: false,
    has_web_sockets: false,
};
const CURSOR: JsonTool = JsonTool {
    key: "cursor",
    name: "Cursor",
    file: ".cursor/mcp.json",
    variables: VariableSyntax::Env,
    http_url_key: "url",
    sse_url_key: "url",
    needs_type: false,
    has_web_sockets: false,
};
const ANTIGRAVITY: JsonTool = JsonTool {
    key: "antigravity",
    name: "Antigravity",
    file: ".agents/mcp_config.json",
    variables: VariableSyntax::Unsupported,
    http_url_key: "serverUrl",
    sse_url_key: "serverUrl",
    needs_type: false,
    has_web_sockets: false,
};
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
        valid(tool.key).iter().for_each(|server| tool.add(server, &canon, desired));
    }
    if files.codex.mcp {
        valid("codex").iter().for_each(|server| add_to_codex(server, &canon, desired));
    }
    if !invalid.is_empty() {
        freeze(desired);
        invalid.into_iter().for_each(|server| desired.add_problem(&canon, server.to_string()));
    }
}

fn add_to_codex(server: &McpServer, canon: &RepoPath, desired: &mut DesiredToolFiles) {
    match codex::table(server) {
        Ok(text) => {
            let path = vec!["mcp_servers".to_owned(), server.name.clone()];
            let content = PartContent::Table { path, text };
            desired.parts.push(DesiredPart { file: RepoPath::from(CODEX_FILE), canon: canon.clone(), content });
        }
        Err(error) => {
            let message = format!("`{}` is not written for Codex CLI: {error}", server.name);
            desired.add_omission(canon, format!("codex/mcp/{}", server.name), message);
        }
    }
}

impl JsonTool {
    fn add(&self, server: &McpServer, canon: &RepoPath, desired: &mut DesiredToolFiles) {
        match self.value(server) {
            Ok(value) => desired.add_key(self.file, &["mcpServers", &server.name], value, canon),
            Err(error) => {
                let message = format!("`{}` is not written for {}: {error}", server.name, self.name);
                desired.add_omission(canon, format!("{}/mcp/{}", self.key, server.name), message);
            }
        }
    }

    fn value(&self, server: &McpServer) -> Result<Value, JsonToolError> {
        let text = |text: &String| self.variables.translate(text);
        let pairs = |pairs: &[(String, String)]| -> Result<Value, VariableError> {
            let translated = pairs.iter().map(|(name, value)| Ok((name.clone(), Value::String(text(value)?))));
            Ok(Value::Object(translated.collect::<Result<Map<String, Value>, VariableError>>()?))
        };
        let mut value = Map::new();
        match &server.transport {
            Transport::Stdio { command, args, env } => {
                value.insert("command".to_owned(), json!(text(command)?));
                if !args.is_empty() {
                    value.insert("args".to_owned(), json!(args.iter().map(text).collect::<Result<Vec<_>, _>>()?));
                }
                if !env.is_empty() {
                    value.insert("env".to_owned(), pairs(env)?);
                }
            }
            Transport::Remote { url, protocol, headers } => {
                let (kind, key) = match protocol {
                    Protocol::Http => ("http", self.http_url_key),
                    Protocol::Sse => ("sse", self.sse_url_key),
                    Protocol::WebSocket if self.has_web_sockets => ("ws", self.http_url_key),
                    Protocol::WebSocket => return Err(JsonToolError::WebSocket),
                };
                if self.needs_type {
                    value.insert("type".to_owned(), json!(kind));
                }
                value.insert(key.to_owned(), json!(text(url)?));
                if !headers.is_empty() {
                    value.insert("headers".to_owned(), pairs(headers)?);
                }
            }
        }
        Ok(Value::Object(value))
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
