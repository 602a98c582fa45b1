//! An MCP server, as every tool means it.

use super::keys::{CanonKeys, is_http_type};
use super::options::ServerOptions;
use super::values::{ServerError, list, pairs, text};
use super::variables::VariableError;
use serde_json::{Map, Value};

/// An MCP server.
#[derive(Clone, Debug, PartialEq)]
pub struct McpServer {
    pub name: String,
    pub transport: Transport,
    pub options: ServerOptions,
    pub is_disabled: bool,
    /// Keys for the other kind of transport.
    pub misfits: Vec<&'static str>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Transport {
    /// A program that the tool starts.
    Stdio { command: String, args: Vec<String>, env: Vec<(String, String)> },
    /// A server with a URL.
    Remote { url: String, protocol: Protocol, headers: Vec<(String, String)> },
}

/// Protocol of a server with a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Streamable HTTP.
    Http,
    /// Server-sent events.
    Sse,
    /// A WebSocket.
    WebSocket,
}

/// Keys for a program, and keys for a server with a URL.
const PROGRAM_KEYS: [&str; 3] = ["args", "env", "cwd"];
const REMOTE_KEYS: [&str; 3] = ["headers", "headersHelper", "oauth"];

impl McpServer {
    /// Parses a server in the format of the canon, or with the keys of any tool.
    ///
    /// # Errors
    /// It is not a server, or a value has the wrong type.
    pub fn parse(name: &str, value: &Value) -> Result<Self, ServerError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(ServerError::Name);
        }
        let CanonKeys { known: mut keys, unknown } = CanonKeys::of(value.as_object().ok_or(ServerError::NotAnObject)?)?;
        let transport = Transport::of_keys(&keys, &unknown)?;
        let unfit = if keys.contains_key("command") { REMOTE_KEYS } else { PROGRAM_KEYS };
        let is_empty =
            |value: &Value| value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty);
        let misfits = unfit.into_iter().filter(|key| keys.shift_remove(*key).is_some_and(|value| !is_empty(&value)));
        let misfits = misfits.collect();
        let is_disabled = match keys.get("disabled") {
            None => false,
            Some(Value::Bool(is_disabled)) => *is_disabled,
            Some(_) => return Err(ServerError::WrongType { key: "disabled", expected: "be `true` or `false`" }),
        };
        let options = ServerOptions::parse(&keys, unknown)?;
        Ok(Self { name: name.to_owned(), transport, options, is_disabled, misfits })
    }

    /// The error of a key that does not fit the transport.
    pub(super) fn misfit(&self, key: &'static str) -> ServerError {
        let expected = if REMOTE_KEYS.contains(&key) { "url" } else { "command" };
        ServerError::Transport { key, expected }
    }

    /// The command line with its variables, or the URL.
    pub fn started(&self) -> String {
        match &self.transport {
            Transport::Stdio { command, args, env } => {
                let env = env.iter().map(|(name, value)| format!("{name}={value}"));
                env.chain([command.clone()]).chain(args.iter().cloned()).collect::<Vec<_>>().join(" ")
            }
            Transport::Remote { url, .. } => url.clone(),
        }
    }
}

impl Transport {
    /// Parses the keys that start a server or connect to it.
    ///
    /// # Errors
    /// See [`McpServer::parse`].
    pub fn parse(value: &Value) -> Result<Self, ServerError> {
        let keys = CanonKeys::of(value.as_object().ok_or(ServerError::NotAnObject)?)?;
        Self::of_keys(&keys.known, &keys.unknown)
    }

    fn of_keys(keys: &Map<String, Value>, unknown: &Map<String, Value>) -> Result<Self, ServerError> {
        let kind = text(keys, "type")?;
        match (text(keys, "command")?, text(keys, "url")?) {
            (Some(command), None) => match kind.as_deref() {
                None | Some("stdio" | "local") => {
                    Ok(Self::Stdio { command, args: list(keys, "args")?, env: pairs(keys, "env")? })
                }
                Some(kind) => Err(ServerError::NotStdio(kind.to_owned())),
            },
            (None, Some(url)) => {
                let protocol = protocol(&url, kind.as_deref())?;
                Ok(Self::Remote { url, protocol, headers: pairs(keys, "headers")? })
            }
            _ => Err(ServerError::NoTransport(unknown.keys().cloned().collect())),
        }
    }
}

fn protocol(url: &str, kind: Option<&str>) -> Result<Protocol, ServerError> {
    let is_socket = url.starts_with("ws://") || url.starts_with("wss://");
    match kind {
        Some("ws" | "websocket") => Ok(Protocol::WebSocket),
        Some("sse") if !is_socket => Ok(Protocol::Sse),
        Some(kind) if kind != "sse" && !is_http_type(kind) => Err(ServerError::UnknownType(kind.to_owned())),
        _ if is_socket => Ok(Protocol::WebSocket),
        _ => Ok(Protocol::Http),
    }
}

/// Why a tool does not get a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsupportedServer {
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

/// A server in the format of a tool.
#[derive(Debug)]
pub struct RenderedServer {
    pub value: Value,
    /// Entries of Claude Code's permissions, with their lists.
    pub permissions: Vec<(&'static str, String)>,
    /// Keys that the format has no equivalent of.
    pub left_out: Vec<String>,
}

impl RenderedServer {
    /// Begins a server without its unknown keys.
    ///
    /// # Errors
    /// One of them may be a restriction.
    pub(super) fn begin(server: &McpServer) -> Result<Self, UnsupportedServer> {
        match server.options.restriction() {
            Some(key) => Err(UnsupportedServer::UnknownRestriction(key.to_owned())),
            None => Ok(Self {
                value: Value::Null,
                permissions: Vec::new(),
                left_out: server.options.unknown.keys().cloned().collect(),
            }),
        }
    }

    pub(super) fn leave_out(&mut self, key: &str, is_set: bool) {
        self.left_out.extend(is_set.then(|| key.to_owned()));
    }
}
