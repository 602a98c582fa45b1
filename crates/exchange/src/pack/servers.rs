//! MCP servers of a plugin. A server of the canon runs in its repository, one of a plugin in the plugin's folder.

use canonry_agents::mcp::{McpServer, Transport, UnsupportedServer};
use canonry_model::tools::tool_formats::{JsonServers, TransportKey};
use serde_json::{Value, json};

/// Why a server is not in a file of the plugin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerOmission {
    #[error("it needs `{0}` from this repository, which the plugin does not contain")]
    RepositoryFile(String),
    #[error("in Agent Plugins, {0}")]
    Unsupported(#[from] UnsupportedServer),
    #[error("Agent Plugins clients need a bare program name, not `{0}`")]
    Command(String),
    #[error("a plugin has no form for its `excludeTools`, and without it the agent would get more tools")]
    Filter,
    #[error("Agent Plugins clients need `https` for servers that are not local")]
    Insecure,
}

/// Agent Plugins 1.0.0, section 7.2.
const PORTABLE: JsonServers = JsonServers { transport: TransportKey::Every("type"), ..JsonServers::PLAIN };

/// Checks that a server works outside of the repository. `exists` checks for a file of the repository.
///
/// # Errors
/// It needs a file of the repository.
pub fn check_movable(server: &McpServer, exists: &dyn Fn(&str) -> bool) -> Result<(), ServerOmission> {
    let Transport::Stdio { command, args, .. } = &server.transport else { return Ok(()) };
    let is_relative = command.contains('/') && !command.starts_with('/') && !command.starts_with("${");
    let names_file = |arg: &&String| !arg.starts_with(['-', '/', '@']) && exists(arg);
    match is_relative.then_some(command).or_else(|| args.iter().find(names_file)) {
        Some(file) => Err(ServerOmission::RepositoryFile(file.clone())),
        None => Ok(()),
    }
}

/// The first word of a command that names a file of the repository.
pub fn repository_file<'c>(command: &'c str, exists: &dyn Fn(&str) -> bool) -> Option<&'c str> {
    let words = command.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '&' | '|' | '(' | ')'));
    let is_of_project = |word: &str| word.contains("CLAUDE_PROJECT_DIR");
    // `.` is the folder in which the command runs, wherever that is.
    let is_folder = |word: &str| word.chars().all(|c| matches!(c, '.' | '/'));
    words
        .filter(|word| !word.is_empty())
        .find(|word| is_of_project(word) || word.contains(['/', '.']) && !is_folder(word) && exists(word))
}

/// A server in the format of Agent Plugins.
///
/// # Errors
/// The format cannot express it.
pub fn portable(server: &McpServer) -> Result<Value, ServerOmission> {
    match &server.transport {
        Transport::Stdio { command, .. } if command.contains('/') => {
            return Err(ServerOmission::Command(command.clone()));
        }
        Transport::Remote { url, .. } if url.starts_with("http://") && !is_local(url) => {
            return Err(ServerOmission::Insecure);
        }
        _ => {}
    }
    let mut value = server.render_json(&PORTABLE)?.value;
    if value["type"] == "http" {
        value["type"] = json!("streamable-http");
    }
    Ok(value)
}

fn is_local(url: &str) -> bool {
    ["http://localhost", "http://127.", "http://[::1]"].iter().any(|start| url.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_agents::mcp::VariableError;

    fn server(value: &Value) -> McpServer {
        McpServer::parse("a", value).unwrap()
    }

    #[test]
    fn servers_in_the_portable_format() {
        for (server, want) in [
            (
                json!({"command": "npx", "args": ["-y", "a"]}),
                Ok(json!({"type": "stdio", "command": "npx", "args": ["-y", "a"]})),
            ),
            (
                json!({"type": "http", "url": "https://a.example"}),
                Ok(json!({"type": "streamable-http", "url": "https://a.example"})),
            ),
            (
                json!({"type": "sse", "url": "http://localhost:1"}),
                Ok(json!({"type": "sse", "url": "http://localhost:1"})),
            ),
            (json!({"type": "http", "url": "http://a.example"}), Err(ServerOmission::Insecure)),
            (json!({"type": "ws", "url": "wss://a.example"}), Err(UnsupportedServer::WebSocket.into())),
            (json!({"command": "/usr/bin/a"}), Err(ServerOmission::Command("/usr/bin/a".to_owned()))),
            (
                json!({"type": "http", "url": "https://a.example", "headers": {"A": "Bearer ${T:-x}"}}),
                Err(UnsupportedServer::Variable(VariableError::Unsupported("${T:-x}".to_owned())).into()),
            ),
        ] {
            assert_eq!(portable(&self::server(&server)), want, "{server}");
        }
    }

    #[test]
    fn commands_that_need_the_repository() {
        let exists = |path: &str| matches!(path, "tools/check.sh" | "make" | ".");
        for (command, want) in [
            ("sh tools/check.sh --all", Some("tools/check.sh")),
            ("\"$CLAUDE_PROJECT_DIR\"/x.sh", Some("$CLAUDE_PROJECT_DIR")),
            ("make test", None),
            ("npx prettier --check .", None),
        ] {
            assert_eq!(repository_file(command, &exists), want, "{command}");
        }
    }

    #[test]
    fn servers_that_need_the_repository_stay_there() {
        let exists = |path: &str| path == "tools/server.js";
        for (server, want) in [
            (json!({"command": "./run.sh"}), Some("./run.sh")),
            (json!({"command": "node", "args": ["--x", "tools/server.js"]}), Some("tools/server.js")),
            (json!({"command": "node", "args": ["@scope/server"]}), None),
            (json!({"command": "/usr/bin/node"}), None),
            (json!({"url": "https://a.example"}), None),
        ] {
            let omitted = want.map(|file| ServerOmission::RepositoryFile(file.to_owned()));
            assert_eq!(check_movable(&self::server(&server), &exists).err(), omitted, "{server}");
        }
    }
}
