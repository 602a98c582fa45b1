//! The keys of a server besides its transport: working directory, time limit, authentication, and filters of tools.

use super::values::{ServerError, list, number, text};
use canonry_model::canon::permissions::Verdict;
use serde_json::{Map, Value};

/// The options of a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ServerOptions {
    /// The directory in which the program starts.
    pub cwd: Option<String>,
    /// The time limit of a tool call in milliseconds.
    pub timeout: Option<u64>,
    /// A command that prints headers.
    pub headers_helper: Option<String>,
    pub oauth: Option<OauthClient>,
    /// The only tools that the agent gets; `None` for all.
    pub include_tools: Option<Vec<String>>,
    /// Tools that the agent does not get.
    pub exclude_tools: Vec<String>,
    /// Tools that run without a question.
    pub always_allow: Vec<String>,
    /// Tools that require approval, by the team's permissions. Only Codex has them here.
    pub ask_tools: Vec<String>,
    /// Decision of the team's permissions about every tool. Only Codex has it here.
    pub default_decision: Option<Verdict>,
    /// Keys that the canon does not know, and that limit nothing.
    pub unknown: Vec<String>,
    /// A key that the canon does not know, and that may limit the server. No tool gets such a server.
    pub restriction: Option<String>,
}

/// The client that a tool presents to the authorization server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OauthClient {
    pub id: Option<String>,
    pub secret: Option<String>,
    pub scopes: Vec<String>,
    pub callback_port: Option<u64>,
    pub metadata_url: Option<String>,
}

const OAUTH_KEYS: [&str; 5] = ["clientId", "clientSecret", "scopes", "callbackPort", "authServerMetadataUrl"];

impl ServerOptions {
    /// Parses the options of a server with keys of the canon.
    ///
    /// # Errors
    /// A value has the wrong type, or a key does not fit the transport.
    pub fn parse(keys: &Map<String, Value>) -> Result<Self, ServerError> {
        let is_program = keys.contains_key("command");
        let remote_key = ["headersHelper", "oauth"].into_iter().find(|key| is_program && keys.contains_key(*key));
        if let Some(key) = remote_key {
            return Err(ServerError::Transport { key, expected: "url" });
        }
        if !is_program && keys.contains_key("cwd") {
            return Err(ServerError::Transport { key: "cwd", expected: "command" });
        }
        let include_tools = keys.contains_key("includeTools").then(|| list(keys, "includeTools")).transpose()?;
        Ok(Self {
            cwd: text(keys, "cwd")?,
            timeout: number(keys, "timeout", "be a whole number of milliseconds, at least 1")?,
            headers_helper: text(keys, "headersHelper")?,
            oauth: oauth(keys)?,
            include_tools,
            exclude_tools: list(keys, "excludeTools")?,
            always_allow: list(keys, "alwaysAllow")?,
            ..Self::default()
        })
    }
}

fn oauth(keys: &Map<String, Value>) -> Result<Option<OauthClient>, ServerError> {
    let keys = match keys.get("oauth") {
        None => return Ok(None),
        Some(Value::Object(keys)) => keys,
        Some(_) => return Err(ServerError::WrongType { key: "oauth", expected: "be an object" }),
    };
    if let Some(unknown) = keys.keys().find(|key| !OAUTH_KEYS.contains(&key.as_str())) {
        return Err(ServerError::UnknownOauthKey(unknown.clone()));
    }
    // Claude Code writes one text with spaces, other tools write a list.
    let scopes = match keys.get("scopes") {
        Some(Value::String(scopes)) => scopes.split_whitespace().map(str::to_owned).collect(),
        _ => list(keys, "scopes")?,
    };
    Ok(Some(OauthClient {
        id: text(keys, "clientId")?,
        secret: text(keys, "clientSecret")?,
        scopes,
        callback_port: number(keys, "callbackPort", "be a port number")?,
        metadata_url: text(keys, "authServerMetadataUrl")?,
    }))
}
