//! `mcp.json`: the canonical MCP servers, in the format of Claude Code, and the variables in their values.

use crate::toolfiles::json::{JsonError, JsonPathError, JsonSettings};
use serde_json::{Map, Value};

/// An MCP server.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct McpServer {
    pub name: String,
    pub transport: Transport,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Transport {
    /// A program that the tool starts.
    Stdio { command: String, args: Vec<String>, env: Vec<(String, String)> },
    /// A server with a URL, over server-sent events or streamable HTTP.
    Remote { url: String, is_sse: bool, headers: Vec<(String, String)> },
}

/// Parses the file into servers, each of which can be invalid by itself.
///
/// # Errors
/// The file as a whole is invalid.
pub(super) fn parse(text: &str) -> Result<Vec<Result<McpServer, InvalidServer>>, McpFileError> {
    let settings = JsonSettings::parse(text)?;
    let Some(Value::Object(servers)) = settings.get(&["mcpServers".to_owned()])? else {
        return Err(McpFileError::NoServers);
    };
    let invalid = |name: &String, reason| InvalidServer { name: name.clone(), reason };
    let parse = |(name, value): (&String, &Value)| parse_server(name, value).map_err(|reason| invalid(name, reason));
    Ok(servers.iter().map(parse).collect())
}

/// Why `mcp.json` as a whole is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum McpFileError {
    #[error("it is not valid JSON: {0}")]
    Json(#[from] JsonError),
    #[error(transparent)]
    Path(#[from] JsonPathError),
    #[error("it has no object `mcpServers`")]
    NoServers,
}

/// A server that no tool gets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}`: {reason}")]
pub(super) struct InvalidServer {
    name: String,
    reason: ServerError,
}

/// Why a server is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum ServerError {
    #[error("a server name may contain only letters, digits, `-` and `_`, which every tool accepts")]
    Name,
    #[error("a server must be an object")]
    NotAnObject,
    #[error("unknown key `{0}`; known keys are {known}", known = KNOWN_KEYS.join(", "))]
    UnknownKey(String),
    #[error("a server must have either `command` or `url`")]
    NoTransport,
    #[error("`{key}` must {expected}")]
    WrongType { key: &'static str, expected: &'static str },
}

const KNOWN_KEYS: [&str; 6] = ["type", "command", "args", "env", "url", "headers"];

fn parse_server(name: &str, value: &Value) -> Result<McpServer, ServerError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(ServerError::Name);
    }
    let Value::Object(keys) = value else { return Err(ServerError::NotAnObject) };
    if let Some(unknown) = keys.keys().find(|key| !KNOWN_KEYS.contains(&key.as_str())) {
        return Err(ServerError::UnknownKey(unknown.clone()));
    }
    let transport = match (text(keys, "command")?, text(keys, "url")?) {
        (Some(command), None) => Transport::Stdio { command, args: list(keys, "args")?, env: pairs(keys, "env")? },
        (None, Some(url)) => {
            let is_sse = text(keys, "type")?.as_deref() == Some("sse");
            Transport::Remote { url, is_sse, headers: pairs(keys, "headers")? }
        }
        _ => return Err(ServerError::NoTransport),
    };
    Ok(McpServer { name: name.to_owned(), transport })
}

fn text(keys: &Map<String, Value>, key: &'static str) -> Result<Option<String>, ServerError> {
    match keys.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(ServerError::WrongType { key, expected: "be a string" }),
    }
}

fn list(keys: &Map<String, Value>, key: &'static str) -> Result<Vec<String>, ServerError> {
    let wrong = || ServerError::WrongType { key, expected: "be a list of strings" };
    let items = match keys.get(key) {
        None => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err(wrong()),
    };
    items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

fn pairs(keys: &Map<String, Value>, key: &'static str) -> Result<Vec<(String, String)>, ServerError> {
    let wrong = || ServerError::WrongType { key, expected: "map names to strings" };
    let map = match keys.get(key) {
        None => return Ok(Vec::new()),
        Some(Value::Object(map)) => map,
        Some(_) => return Err(wrong()),
    };
    map.iter().map(|(name, value)| Ok((name.clone(), value.as_str().ok_or_else(wrong)?.to_owned()))).collect()
}

/// How a tool writes an environment variable in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VariableSyntax {
    /// `${NAME}` and `${NAME:-default}`
    Shell,
    /// `${NAME}`
    ShellWithoutDefault,
    /// `${env:NAME}`
    Env,
    /// The tool is not known to expand variables.
    Unsupported,
}

/// Why a tool cannot expand a variable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum VariableError {
    #[error("it does not support the default value in `{0}`")]
    Default(String),
    #[error("it is not known to expand `{0}`")]
    Unsupported(String),
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

impl VariableSyntax {
    /// Translates the variables of a text into this syntax.
    ///
    /// # Errors
    /// See [`VariableError`].
    pub fn translate(self, text: &str) -> Result<String, VariableError> {
        let mut translated = text.to_owned();
        for variable in variables(text) {
            let Variable { expression, name, has_default } = variable;
            match self {
                Self::Shell => {}
                Self::ShellWithoutDefault | Self::Env if has_default => {
                    return Err(VariableError::Default(expression.to_owned()));
                }
                Self::ShellWithoutDefault => {}
                Self::Env => translated = translated.replace(expression, &format!("${{env:{name}}}")),
                Self::Unsupported => return Err(VariableError::Unsupported(expression.to_owned())),
            }
        }
        Ok(translated)
    }
}
