//! MCP servers in `opencode.json`.

use super::json::check_approvals;
use super::server::{McpServer, Protocol, RenderedServer, Transport, UnsupportedServer};
use super::variables::{VariableError, translate};
use canonry_model::tools::tool_formats::VariableSyntax;
use serde_json::{Map, Value, json};

/// Returns the entry of a server.
///
/// # Errors
/// See [`UnsupportedServer`].
pub(super) fn entry(server: &McpServer) -> Result<RenderedServer, UnsupportedServer> {
    let options = &server.options;
    let mut entry = RenderedServer::begin(server)?;
    check_approvals(options)?;
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
        entry.leave_out("oauth.callbackPort", client.callback_port.is_some());
        entry.leave_out("oauth.authServerMetadataUrl", client.metadata_url.is_some());
        put("oauth", Value::Object(oauth));
    }
    // Its `timeout` is the time to list tools, not that of a call.
    entry.leave_out("timeout", options.timeout.is_some());
    entry.leave_out("headersHelper", options.headers_helper.is_some());
    entry.leave_out("alwaysAllow", !options.always_allow.is_empty());
    entry.value = Value::Object(value);
    Ok(entry)
}
