//! The keys of a server besides its transport: working directory, time limit, authentication, and filters of tools.

use super::keys::{APPROVAL_MODE, ASK_TOOLS, OAUTH_KEYS, may_restrict};
use super::values::{ServerError, list, number, text};
use canonry_model::canon::permissions::Verdict;
use serde_json::{Map, Value};

/// The options of a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerOptions {
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
    /// Keys that the canon does not know.
    pub unknown: Map<String, Value>,
}

/// The client that a tool presents to the authorization server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OauthClient {
    pub id: Option<String>,
    pub secret: Option<String>,
    pub scopes: Vec<String>,
    pub callback_port: Option<u64>,
    pub metadata_url: Option<String>,
}

impl ServerOptions {
    /// Parses the options of a server with keys of the canon.
    ///
    /// # Errors
    /// A value has the wrong type.
    pub(super) fn parse(keys: &Map<String, Value>, mut unknown: Map<String, Value>) -> Result<Self, ServerError> {
        let default_decision = match text(keys, APPROVAL_MODE)?.as_deref() {
            Some("approve") => Some(Verdict::Allow),
            Some("prompt") => Some(Verdict::Ask),
            Some(mode) => {
                unknown.insert(APPROVAL_MODE.to_owned(), Value::from(mode));
                None
            }
            None => None,
        };
        let oauth = oauth(keys, &mut unknown)?;
        let include_tools = keys.contains_key("includeTools").then(|| list(keys, "includeTools")).transpose()?;
        Ok(Self {
            cwd: text(keys, "cwd")?,
            timeout: number(keys, "timeout", "be a whole number of milliseconds, at least 1")?,
            headers_helper: text(keys, "headersHelper")?,
            oauth,
            include_tools,
            exclude_tools: list(keys, "excludeTools")?,
            always_allow: list(keys, "alwaysAllow")?,
            ask_tools: list(keys, ASK_TOOLS)?,
            default_decision,
            unknown,
        })
    }

    /// An unknown key that may limit the server. No tool gets such a server.
    pub fn restriction(&self) -> Option<&str> {
        self.unknown.keys().map(String::as_str).find(|key| !key.starts_with("oauth.") && may_restrict(key))
    }

    /// Whether only some of the server's tools can be used.
    pub fn is_filtered(&self) -> bool {
        self.include_tools.is_some() || !self.exclude_tools.is_empty()
    }
}

fn oauth(keys: &Map<String, Value>, unknown: &mut Map<String, Value>) -> Result<Option<OauthClient>, ServerError> {
    let given = match keys.get("oauth") {
        None => return Ok(None),
        Some(Value::Object(keys)) => keys,
        Some(_) => return Err(ServerError::WrongType { key: "oauth", expected: "be an object" }),
    };
    let mut keys = Map::new();
    for (key, value) in given {
        match OAUTH_KEYS.iter().find(|(name, _)| name == key) {
            Some((_, known)) => drop(keys.insert((*known).to_owned(), value.clone())),
            // Gemini CLI's switch; a client in the canon is always used.
            None if key == "enabled" && *value == Value::Bool(true) => {}
            None => drop(unknown.insert(format!("oauth.{key}"), value.clone())),
        }
    }
    // Claude Code and OpenCode write one text with spaces, other tools write a list.
    let scopes = match keys.get("scopes") {
        Some(Value::String(scopes)) => scopes.split_whitespace().map(str::to_owned).collect(),
        _ => list(&keys, "scopes")?,
    };
    Ok(Some(OauthClient {
        id: text(&keys, "clientId")?,
        secret: text(&keys, "clientSecret")?,
        scopes,
        callback_port: number(&keys, "callbackPort", "be a port number")?,
        metadata_url: text(&keys, "authServerMetadataUrl")?,
    }))
}
