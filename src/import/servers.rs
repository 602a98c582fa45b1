//! MCP servers, converted from each tool's format to the canon's.

use super::plan::{ImportPlan, PlannedFile, PlannedItem};
use super::result::ImportRefusal;
use super::{formats, secrets};
use crate::edit::EditContent;
use crate::syntax::RepoPath;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The keys of a server in the canon.
const KNOWN_KEYS: [&str; 6] = ["type", "command", "args", "env", "url", "headers"];
/// Keys that other tools use for the URL of a streamable HTTP server.
const HTTP_URL_KEYS: [&str; 2] = ["httpUrl", "serverUrl"];

/// Collects servers from several files. Of two servers with the same name, the first wins.
#[derive(Default)]
pub(super) struct Servers {
    all: Map<String, Value>,
    origins: Vec<ServerOrigin>,
    changes: Vec<String>,
    /// Whether the source itself ignores all but the first server with a name.
    source_ignores_duplicates: bool,
}

struct ServerOrigin {
    name: String,
    file: RepoPath,
}

impl Servers {
    /// For a source that itself ignores all but the first server with a name.
    pub fn ignoring_duplicates() -> Self {
        Self { source_ignores_duplicates: true, ..Self::default() }
    }

    /// Adds the servers of a file with `mcpServers`. Returns whether the file has that key.
    pub fn add_file(&mut self, plan: &mut ImportPlan<'_>, from: &RepoPath) -> bool {
        let Some(text) = plan.read(from) else { return false };
        match formats::parse_object(&text) {
            Ok(object) => match object.get("mcpServers") {
                Some(Value::Object(servers)) => {
                    servers.iter().for_each(|(name, value)| self.add(plan, from, name, value));
                    return true;
                }
                Some(_) => plan.skip_unreadable(from, "`mcpServers` is not an object"),
                None => {}
            },
            Err(error) => plan.skip_unreadable(from, error.to_string()),
        }
        false
    }

    /// Adds a server.
    pub fn add(&mut self, plan: &mut ImportPlan<'_>, from: &RepoPath, name: &str, value: &Value) {
        let mut changes = Vec::new();
        let server = match normalize(name, value, &mut changes) {
            Ok(server) => Value::Object(server),
            Err(error) => return plan.skip(from, format!("server `{name}`: {error}"), error.advice()),
        };
        match self.all.get(name) {
            Some(existing) if *existing == server => {}
            Some(_) => {
                let other = self.origins.iter().find(|origin| origin.name == name);
                let other = other.map(|origin| origin.file.to_string()).unwrap_or_default();
                if self.source_ignores_duplicates {
                    plan.skip(from, format!("server `{name}`: the one in {other} takes precedence"), "");
                } else {
                    refuse(plan, from, format!("server `{name}` differs from the one in {other}, which was imported"));
                }
            }
            None => {
                self.changes.extend(changes.into_iter().map(|change| format!("server `{name}`: {change}")));
                self.origins.push(ServerOrigin { name: name.to_owned(), file: from.clone() });
                self.all.insert(name.to_owned(), server);
            }
        }
    }

    /// Adds the canon's server file to the plan.
    pub fn finish(mut self, plan: &mut ImportPlan<'_>) {
        let to = plan.source.layout.mcp();
        let existing = plan.source.canon.get(&to).copied();
        if existing.is_some() {
            self.refuse_unlike_existing(plan, &to);
        }
        let Some(from) = self.origins.first().map(|origin| origin.file.clone()) else { return };
        let mut document = Map::new();
        document.insert("mcpServers".to_owned(), Value::Object(self.all.clone()));
        let text = serde_json::to_string_pretty(&Value::Object(document)).unwrap_or_default() + "\n";
        let file = match existing {
            Some(state) => Some(PlannedFile { path: to.clone(), content: EditContent::Bytes(Vec::new()), state }),
            None => plan.text_file(text, to.clone()),
        };
        let mut changes = self.changes;
        let others: BTreeSet<&RepoPath> =
            self.origins.iter().map(|origin| &origin.file).filter(|f| **f != from).collect();
        if !others.is_empty() {
            let others: Vec<String> = others.into_iter().map(ToString::to_string).collect();
            changes.push(format!("merged with the servers of {}", others.join(", ")));
        }
        plan.items.push(PlannedItem { from, to, files: file.into_iter().collect(), changes, is_skill: false });
    }

    /// Keeps the servers that the canon's file already contains, and refuses the others: users edit that file.
    fn refuse_unlike_existing(&mut self, plan: &mut ImportPlan<'_>, path: &RepoPath) {
        let text = plan.source.text(path).unwrap_or_default();
        let existing = formats::parse_object(&text).unwrap_or_default();
        let existing = existing.get("mcpServers").and_then(Value::as_object).cloned().unwrap_or_default();
        for origin in std::mem::take(&mut self.origins) {
            let name = &origin.name;
            match existing.get(name) {
                Some(server) if self.all.get(name) == Some(server) => self.origins.push(origin),
                Some(_) => refuse(plan, &origin.file, format!("{path} has a different server `{name}`")),
                None => {
                    refuse(plan, &origin.file, format!("{path} exists without a server `{name}`: add it by hand"));
                }
            }
        }
    }
}

fn refuse(plan: &mut ImportPlan<'_>, from: &RepoPath, reason: String) {
    let to = plan.source.layout.mcp();
    plan.refused.push(ImportRefusal { from: from.clone(), to, reason });
}

/// A server that the canon cannot contain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum ServerError {
    #[error("its name has characters other than letters, digits, `-` and `_`, which some tools reject")]
    Name,
    #[error("it is not an object")]
    NotAnObject,
    #[error("it is disabled")]
    Disabled,
    #[error("it needs exactly one of `command` and `url`")]
    Transport,
    #[error("`{0}` has an invalid value")]
    InvalidValue(String),
    #[error("its URL or arguments contain a possible secret")]
    Secret,
    #[error("it uses a variable that only its editor defines")]
    EditorVariable,
}

impl ServerError {
    fn advice(&self) -> &'static str {
        match self {
            Self::Name => "rename it",
            Self::NotAnObject => "",
            Self::Disabled => "add it to agent/mcp.json if you need it",
            Self::Transport | Self::InvalidValue(_) => "fix it, then run this again",
            Self::Secret => "replace it with a variable such as ${API_KEY}, then run this again",
            Self::EditorVariable => "replace it with an environment variable, then run this again",
        }
    }
}

/// Converts a server to the canon's format.
fn normalize(name: &str, value: &Value, changes: &mut Vec<String>) -> Result<Map<String, Value>, ServerError> {
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
        return Err(ServerError::Name);
    }
    let given = value.as_object().ok_or(ServerError::NotAnObject)?;
    if given.get("disabled") == Some(&Value::Bool(true)) || given.get("enabled") == Some(&Value::Bool(false)) {
        return Err(ServerError::Disabled);
    }
    let mut server = Map::new();
    let mut lost = Vec::new();
    for (key, value) in given {
        match key.as_str() {
            key if HTTP_URL_KEYS.contains(&key) => {
                changes.push(format!("renamed `{key}` to `url`"));
                server.insert("type".to_owned(), Value::from("http"));
                server.insert("url".to_owned(), value.clone());
            }
            "transport" if !given.contains_key("type") => {
                changes.push("renamed `transport` to `type`".to_owned());
                server.insert("type".to_owned(), value.clone());
            }
            known if KNOWN_KEYS.contains(&known) => {
                server.insert(key.clone(), value.clone());
            }
            "disabled" | "enabled" => {}
            _ => lost.push(format!("`{key}`")),
        }
    }
    if !lost.is_empty() {
        changes.push(format!("removed {}: the canon has no such key", lost.join(", ")));
    }
    match server.get("type").and_then(Value::as_str) {
        Some("streamable-http" | "streamableHttp" | "streamable_http") => {
            server.insert("type".to_owned(), Value::from("http"));
        }
        // `command` implies it.
        Some("stdio" | "local") => {
            server.shift_remove("type");
        }
        _ => {}
    }
    if server.contains_key("command") == server.contains_key("url") {
        return Err(ServerError::Transport);
    }
    if server.contains_key("url") {
        let env = server.shift_remove("env");
        if env.as_ref().and_then(Value::as_object).is_some_and(|env| !env.is_empty()) {
            changes.push("removed `env`: a server with a URL starts no process".to_owned());
        }
    }
    check_types(&server)?;
    replace_secrets(name, &mut server, changes)?;
    Ok(server)
}

fn check_types(server: &Map<String, Value>) -> Result<(), ServerError> {
    let is_valid = |(key, value): (&String, &Value)| match key.as_str() {
        "args" => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        "env" | "headers" => value.as_object().is_some_and(|pairs| pairs.values().all(Value::is_string)),
        _ => value.is_string(),
    };
    match server.iter().find(|pair| !is_valid(*pair)) {
        None => Ok(()),
        Some((key, _)) => Err(ServerError::InvalidValue(key.clone())),
    }
}

/// Writes variables in the canon's syntax, and replaces secrets with variables.
fn replace_secrets(name: &str, server: &mut Map<String, Value>, changes: &mut Vec<String>) -> Result<(), ServerError> {
    for (key, value) in server.iter_mut() {
        match value {
            Value::String(text) => *text = with_canon_variables(text),
            Value::Array(items) => items.iter_mut().for_each(|item| {
                if let Value::String(text) = item {
                    *text = with_canon_variables(text);
                }
            }),
            Value::Object(pairs) => {
                for (inner, value) in pairs.iter_mut() {
                    let Value::String(text) = value else { continue };
                    *text = with_canon_variables(text);
                    if secrets::is_secret(inner, text) {
                        let variable = if key == "env" { inner.clone() } else { secrets::variable_name(name, inner) };
                        let bearer = if text.starts_with("Bearer ") { "Bearer " } else { "" };
                        *text = format!("{bearer}${{{variable}}}");
                        changes.push(format!(
                            "replaced the value of `{key}.{inner}`, a possible secret, with `${{{variable}}}`; set {variable} in the environment"
                        ));
                    }
                }
            }
            _ => {}
        }
    }
    let text = |key: &str| server.get(key).and_then(Value::as_str).unwrap_or_default();
    let args = formats::strings(server.get("args"));
    if secrets::url_has_secret(text("url"))
        || secrets::looks_like_token(text("command"))
        || secrets::args_have_secret(&args)
    {
        return Err(ServerError::Secret);
    }
    let is_editor_variable =
        |text: &str| text.contains("${input:") || text.contains("${command:") || text.contains("${workspaceFolder");
    if serde_json::to_string(server).is_ok_and(|text| is_editor_variable(&text)) {
        return Err(ServerError::EditorVariable);
    }
    Ok(())
}

/// Writes `${env:NAME}` and `$NAME` as `${NAME}`.
fn with_canon_variables(text: &str) -> String {
    let text = text.replace("${env:", "${");
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match text.strip_prefix('$') {
        Some(name) if is_name(name) => format!("${{{name}}}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn normalized(value: Value) -> (Value, Vec<String>) {
        let mut changes = Vec::new();
        let server = normalize("my-db", &value, &mut changes).unwrap();
        (Value::Object(server), changes)
    }

    #[test]
    fn converts_servers_to_the_format_of_the_canon() {
        let (server, changes) =
            normalized(json!({"httpUrl": "https://x.example/mcp", "headers": {"X-Trace": "1"}, "timeout": 5}));
        assert_eq!(server, json!({"type": "http", "url": "https://x.example/mcp", "headers": {"X-Trace": "1"}}));
        assert_eq!(changes, ["renamed `httpUrl` to `url`", "removed `timeout`: the canon has no such key"]);
        let (server, changes) =
            normalized(json!({"type": "stdio", "command": "x", "args": ["${env:A}"], "env": {"B": "$B"}}));
        assert_eq!(server, json!({"command": "x", "args": ["${A}"], "env": {"B": "${B}"}}));
        assert!(changes.is_empty());
    }

    #[test]
    fn imports_no_secret() {
        let (server, changes) = normalized(json!({"command": "x", "env": {"API_KEY": "abc", "MODE": "y"}}));
        assert_eq!(server, json!({"command": "x", "env": {"API_KEY": "${API_KEY}", "MODE": "y"}}));
        assert!(changes[0].contains("env.API_KEY") && !changes[0].contains("abc"), "{changes:?}");
        let (server, _) = normalized(json!({"url": "https://x.example", "headers": {"Authorization": "Bearer abc"}}));
        assert_eq!(server["headers"]["Authorization"], "Bearer ${MY_DB_AUTHORIZATION}");
        for value in [
            json!({"url": "https://u:p@x.example"}),
            json!({"command": "x", "args": ["--token=ghp_0123456789abcdef"]}),
            json!({"command": "x", "disabled": true}),
            json!({"command": "x", "url": "y"}),
            json!({"command": "x", "args": [1]}),
            json!({"command": "x", "env": {"A": "${input:a}"}}),
        ] {
            assert!(normalize("a", &value, &mut Vec::new()).is_err(), "{value}");
        }
    }
}
