//! MCP servers in `opencode.json`.

use super::server::{McpServer, Protocol, Transport, UnsupportedServer, VariableError, translate};
use canonry_model::config::tool_formats::VariableSyntax;
use serde_json::{Map, Value, json};

/// A server for OpenCode.
pub(super) struct OpenCodeEntry {
    pub value: Value,
    /// Keys that OpenCode has no equivalent of.
    pub left_out: Vec<String>,
}

/// Returns the entry of a server.
///
/// # Errors
/// See [`UnsupportedServer`].
pub(super) fn entry(server: &McpServer) -> Result<OpenCodeEntry, UnsupportedServer> {
    let options = &server.options;
    if let Some(key) = &options.restriction {
        return Err(UnsupportedServer::UnknownRestriction(key.clone()));
    }
    if options.include_tools.is_some() {
        return Err(UnsupportedServer::Filter("includeTools"));
    }
    if !options.exclude_tools.is_empty() {
        return Err(UnsupportedServer::Filter("excludeTools"));
    }
    let text = |text: &String| translate(VariableSyntax::Braces, text);
    let pairs = |pairs: &[(String, String)]| -> Result<Value, VariableError> {
        let translated = pairs.iter().map(|(name, value)| Ok((name.clone(), Value::String(text(value)?))));
        Ok(Value::Object(translated.collect::<Result<Map<String, Value>, VariableError>>()?))
    };
    let mut value = Map::new();
    let mut put = |key: &str, to: Value| drop(value.insert(key.to_owned(), to));
    let mut left_out = options.unknown.clone();
    match &server.transport {
        Transport::Stdio { command, args, env } => {
            put("type", json!("local"));
            let words = std::iter::once(command).chain(args).map(text).collect::<Result<Vec<_>, _>>()?;
            put("command", json!(words));
            if !env.is_empty() {
                put("environment", pairs(env)?);
            }
        }
        Transport::Remote { protocol: Protocol::WebSocket, .. } => return Err(UnsupportedServer::WebSocket),
        // It tries streamable HTTP first, then SSE.
        Transport::Remote { url, headers, .. } => {
            put("type", json!("remote"));
            put("url", json!(text(url)?));
            if !headers.is_empty() {
                put("headers", pairs(headers)?);
            }
        }
    }
    if let Some(cwd) = &options.cwd {
        put("cwd", json!(text(cwd)?));
    }
    if let Some(client) = &options.oauth {
        let mut oauth = Map::new();
        for (key, part) in [("clientId", &client.id), ("clientSecret", &client.secret)] {
            if let Some(part) = part {
                oauth.insert(key.to_owned(), json!(text(part)?));
            }
        }
        if !client.scopes.is_empty() {
            oauth.insert("scope".to_owned(), json!(client.scopes.join(" ")));
        }
        left_out.extend(client.callback_port.map(|_| "oauth.callbackPort".to_owned()));
        left_out.extend(client.metadata_url.as_ref().map(|_| "oauth.authServerMetadataUrl".to_owned()));
        put("oauth", Value::Object(oauth));
    }
    // Its `timeout` is the time to list tools, not that of a call.
    left_out.extend(options.timeout.map(|_| "timeout".to_owned()));
    left_out.extend(options.headers_helper.as_ref().map(|_| "headersHelper".to_owned()));
    left_out.extend((!options.always_allow.is_empty()).then(|| "alwaysAllow".to_owned()));
    Ok(OpenCodeEntry { value: Value::Object(value), left_out })
}
