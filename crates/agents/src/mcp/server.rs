//! `mcp.json`: the canonical MCP servers, in the format of Claude Code, and the variables in their values.

use super::options::ServerOptions;
use super::values::{ServerError, list, pairs, text};
use crate::json::{JsonPathError, JsonSettings, OutlineError};
use canonry_model::canon::mcp_keys::{canonical_key, may_restrict};
use canonry_model::config::TOOLS;
use canonry_model::config::tool_formats::VariableSyntax;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// An MCP server.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct McpServer {
    pub name: String,
    pub transport: Transport,
    pub options: ServerOptions,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Transport {
    /// A program that the tool starts.
    Stdio { command: String, args: Vec<String>, env: Vec<(String, String)> },
    /// A server with a URL.
    Remote { url: String, protocol: Protocol, headers: Vec<(String, String)> },
}

/// Protocol of a server with a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    /// Streamable HTTP.
    Http,
    /// Server-sent events.
    Sse,
    /// A WebSocket.
    WebSocket,
}

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
pub(crate) fn definitions(text: &str) -> BTreeMap<String, Map<String, Value>> {
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
    parse_keys(name, value).map_err(|reason| InvalidServer { name: name.to_owned(), reason })
}

fn parse_keys(name: &str, value: &Value) -> Result<Option<McpServer>, ServerError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(ServerError::Name);
    }
    let Value::Object(given) = value else { return Err(ServerError::NotAnObject) };
    let GivenKeys { keys, unknown, restriction } = given_keys(given)?;
    let keys = &keys;
    let kind = text(keys, "type")?;
    let transport = match (text(keys, "command")?, text(keys, "url")?) {
        (Some(command), None) => match kind.as_deref() {
            None | Some("stdio") => Transport::Stdio { command, args: list(keys, "args")?, env: pairs(keys, "env")? },
            Some(kind) => return Err(ServerError::NotStdio(kind.to_owned())),
        },
        (None, Some(url)) => {
            let is_socket = url.starts_with("ws://") || url.starts_with("wss://");
            let protocol = match kind.as_deref() {
                Some("ws") => Protocol::WebSocket,
                None if is_socket => Protocol::WebSocket,
                None | Some("http") => Protocol::Http,
                Some("sse") => Protocol::Sse,
                Some(kind) => return Err(ServerError::UnknownType(kind.to_owned())),
            };
            Transport::Remote { url, protocol, headers: pairs(keys, "headers")? }
        }
        _ => return Err(ServerError::NoTransport(unknown)),
    };
    let options = ServerOptions { restriction, unknown, ..ServerOptions::parse(keys)? };
    match keys.get("disabled") {
        None | Some(Value::Bool(false)) => Ok(Some(McpServer { name: name.to_owned(), transport, options })),
        Some(Value::Bool(true)) => Ok(None),
        Some(_) => Err(ServerError::WrongType { key: "disabled", expected: "be `true` or `false`" }),
    }
}

/// The keys of a server.
#[derive(Default)]
struct GivenKeys {
    /// By their names in the canon.
    keys: Map<String, Value>,
    unknown: Vec<String>,
    /// An unknown key that may limit the server.
    restriction: Option<String>,
}

fn given_keys(given: &Map<String, Value>) -> Result<GivenKeys, ServerError> {
    let mut sorted = GivenKeys::default();
    for (key, value) in given {
        match canonical_key(key) {
            Some(known) if sorted.keys.contains_key(known) => return Err(ServerError::DuplicateKey(known)),
            Some(known) => drop(sorted.keys.insert(known.to_owned(), value.clone())),
            None if key == "enabled" && *value == Value::Bool(false) => {
                sorted.keys.insert("disabled".to_owned(), Value::Bool(true));
            }
            None if key == "enabled" && *value == Value::Bool(true) => {}
            None if may_restrict(key) => sorted.restriction = Some(key.clone()),
            None => sorted.unknown.push(key.clone()),
        }
    }
    Ok(sorted)
}

/// Why a tool cannot expand a variable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum VariableError {
    #[error("it does not support the default value in `{0}`")]
    Default(String),
    #[error("it is not known to expand `{0}`")]
    Unsupported(String),
    #[error("it does not expand variables within `{0}`")]
    Within(String),
}

/// Why a tool does not get a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum UnsupportedServer {
    #[error(transparent)]
    Variable(#[from] VariableError),
    #[error("it does not support WebSocket servers")]
    WebSocket,
    #[error("it does not support SSE servers")]
    Sse,
    #[error("it has no `{0}` for a server, and without it the agent would get more tools")]
    Filter(&'static str),
    #[error("`{0}` may be a restriction, and canonry does not know it")]
    UnknownRestriction(String),
}

/// A variable in a text.
pub(super) struct Variable<'t> {
    /// The whole expression.
    pub expression: &'t str,
    pub name: &'t str,
    pub has_default: bool,
}

/// Lists the variables of a text in order.
pub(super) fn variables(text: &str) -> impl Iterator<Item = Variable<'_>> {
    text.match_indices("${").filter_map(move |(at, _)| {
        let end = at + text[at..].find('}')?;
        let inner = &text[at + 2..end];
        let name = inner.split_once(":-").map_or(inner, |(name, _)| name);
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        is_name.then(|| Variable { expression: &text[at..=end], name, has_default: name.len() < inner.len() })
    })
}

/// Translates the variables of a text into the syntax of a tool.
///
/// # Errors
/// See [`VariableError`].
pub(super) fn translate(syntax: VariableSyntax, text: &str) -> Result<String, VariableError> {
    let mut translated = text.to_owned();
    for variable in variables(text) {
        let Variable { expression, name, has_default } = variable;
        match syntax {
            VariableSyntax::Shell => {}
            VariableSyntax::ShellWithoutDefault | VariableSyntax::Env | VariableSyntax::Braces if has_default => {
                return Err(VariableError::Default(expression.to_owned()));
            }
            VariableSyntax::ShellWithoutDefault => {}
            VariableSyntax::Env => translated = translated.replace(expression, &format!("${{env:{name}}}")),
            VariableSyntax::Braces => translated = translated.replace(expression, &format!("{{env:{name}}}")),
            VariableSyntax::Unsupported => return Err(VariableError::Unsupported(expression.to_owned())),
        }
    }
    Ok(translated)
}
