//! MCP servers of a plugin. A server of the canon runs in its repository, one of a plugin in the plugin's folder.

use serde_json::{Map, Value, json};

/// Why a server is not in a file of the plugin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ServerOmission {
    #[error("it needs `{0}` from this repository, which the plugin does not contain")]
    RepositoryFile(String),
    #[error("Agent Plugins clients do not expand `{0}`")]
    Variable(String),
    #[error("Agent Plugins clients need a bare program name, not `{0}`")]
    Command(String),
    #[error("Agent Plugins has no servers of the type `{0}`")]
    Type(String),
    #[error("a plugin has no form for its `excludeTools`, and without it the agent would get more tools")]
    Filter,
    #[error("Agent Plugins clients need `https` for servers that are not local")]
    Insecure,
}

/// Checks that a server works outside of the repository. `value` is in the format of Claude Code, `exists` checks for a
/// file of the repository.
///
/// # Errors
/// It needs a file of the repository.
pub fn check_movable(value: &Value, exists: &dyn Fn(&str) -> bool) -> Result<(), ServerOmission> {
    let command = value["command"].as_str().unwrap_or_default();
    let is_relative = command.contains('/') && !command.starts_with('/') && !command.starts_with("${");
    if is_relative {
        return Err(ServerOmission::RepositoryFile(command.to_owned()));
    }
    let args = value["args"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names_file = |arg: &&str| !arg.starts_with(['-', '/', '@']) && exists(arg);
    match args.iter().filter_map(Value::as_str).find(names_file) {
        Some(file) => Err(ServerOmission::RepositoryFile(file.to_owned())),
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

/// A server in the format of Agent Plugins 1.0.0, section 7.2. `value` is in the format of Claude Code.
///
/// # Errors
/// The format cannot express it.
pub fn portable(value: &Value) -> Result<Value, ServerOmission> {
    if let Some(variable) = variable(value) {
        return Err(ServerOmission::Variable(variable));
    }
    let mut server = Map::new();
    let mut keep = |keys: [&str; 3]| {
        for key in keys {
            if let Some(value) = value.get(key) {
                server.insert(key.to_owned(), value.clone());
            }
        }
    };
    let kind = match (value["type"].as_str(), value["command"].as_str()) {
        (_, Some(command)) if command.contains('/') => return Err(ServerOmission::Command(command.to_owned())),
        (_, Some(_)) => {
            keep(["command", "args", "env"]);
            "stdio"
        }
        (Some("ws"), None) => return Err(ServerOmission::Type("ws".to_owned())),
        (kind, None) => {
            if !is_secure(value["url"].as_str().unwrap_or_default()) {
                return Err(ServerOmission::Insecure);
            }
            keep(["url", "headers", "headers"]);
            if kind == Some("sse") { "sse" } else { "streamable-http" }
        }
    };
    let mut typed = Map::from_iter([("type".to_owned(), json!(kind))]);
    typed.append(&mut server);
    Ok(Value::Object(typed))
}

fn is_secure(url: &str) -> bool {
    let local = ["http://localhost", "http://127.", "http://[::1]"];
    url.starts_with("https://") || local.iter().any(|start| url.starts_with(start))
}

/// The first variable in a value.
fn variable(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let start = text.find("${")?;
            let end = text[start..].find('}').map_or(text.len(), |end| start + end + 1);
            Some(text[start..end].to_owned())
        }
        Value::Array(items) => items.iter().find_map(variable),
        Value::Object(map) => map.values().find_map(variable),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            (json!({"type": "ws", "url": "wss://a.example"}), Err(ServerOmission::Type("ws".to_owned()))),
            (json!({"command": "/usr/bin/a"}), Err(ServerOmission::Command("/usr/bin/a".to_owned()))),
            (
                json!({"type": "http", "url": "https://a.example", "headers": {"A": "Bearer ${T:-x}"}}),
                Err(ServerOmission::Variable("${T:-x}".to_owned())),
            ),
        ] {
            assert_eq!(portable(&server), want, "{server}");
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
            assert_eq!(check_movable(&server, &exists).err(), omitted, "{server}");
        }
    }
}
