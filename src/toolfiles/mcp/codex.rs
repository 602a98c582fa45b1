//! MCP servers as tables in Codex's `config.toml`.

use super::server::{McpServer, Protocol, Transport, variables};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value, value};

/// Why Codex cannot use a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CodexError {
    #[error("it does not support SSE servers")]
    Sse,
    #[error("it does not support WebSocket servers")]
    WebSocket,
    #[error("it does not expand variables within `{0}`")]
    Variable(String),
}

/// Returns the lines of the table, including its header.
///
/// # Errors
/// See [`CodexError`].
pub(super) fn table(server: &McpServer) -> Result<String, CodexError> {
    let mut table = Table::new();
    match &server.transport {
        Transport::Stdio { command, args, env } => {
            check_plain(command)?;
            args.iter().try_for_each(|arg| check_plain(arg))?;
            table["command"] = value(command.as_str());
            if !args.is_empty() {
                table["args"] = value(args.iter().map(String::as_str).collect::<Array>());
            }
            let (passed, set): (Vec<_>, Vec<_>) =
                env.iter().partition(|(name, text)| only_variable(text) == Some(name.as_str()));
            set.iter().try_for_each(|(_, text)| check_plain(text))?;
            if !set.is_empty() {
                table["env"] = pairs(set.iter().map(|(name, text)| (name.as_str(), text.as_str())));
            }
            if !passed.is_empty() {
                table["env_vars"] = value(passed.iter().map(|(name, _)| name.as_str()).collect::<Array>());
            }
        }
        Transport::Remote { protocol: Protocol::Sse, .. } => return Err(CodexError::Sse),
        Transport::Remote { protocol: Protocol::WebSocket, .. } => return Err(CodexError::WebSocket),
        Transport::Remote { url, headers, .. } => {
            check_plain(url)?;
            table["url"] = value(url.as_str());
            add_headers(&mut table, headers)?;
        }
    }
    let mut servers = Table::new();
    servers.set_implicit(true);
    servers.insert(&server.name, Item::Table(table));
    let mut document = DocumentMut::new();
    document.insert("mcp_servers", Item::Table(servers));
    Ok(document.to_string())
}

fn add_headers(table: &mut Table, headers: &[(String, String)]) -> Result<(), CodexError> {
    let (mut set, mut passed) = (Vec::new(), Vec::new());
    for (name, text) in headers {
        let bearer = text.strip_prefix("Bearer ").filter(|_| name.eq_ignore_ascii_case("authorization"));
        match (bearer.and_then(only_variable), only_variable(text)) {
            (Some(token), _) => table["bearer_token_env_var"] = value(token),
            (None, Some(variable)) => passed.push((name.as_str(), variable)),
            (None, None) => {
                check_plain(text)?;
                set.push((name.as_str(), text.as_str()));
            }
        }
    }
    for (key, pairs) in [("http_headers", set), ("env_http_headers", passed)] {
        if !pairs.is_empty() {
            table[key] = self::pairs(pairs.into_iter());
        }
    }
    Ok(())
}

fn pairs<'p>(pairs: impl Iterator<Item = (&'p str, &'p str)>) -> Item {
    let inline: InlineTable = pairs.map(|(name, text)| (name, Value::from(text))).collect();
    value(inline)
}

/// Returns the name of the variable if the text is nothing but one variable without a default.
fn only_variable(text: &str) -> Option<&str> {
    let is_whole = |variable: &super::server::Variable<'_>| variable.expression == text && !variable.has_default;
    variables(text).next().filter(is_whole).map(|variable| variable.name)
}

fn check_plain(text: &str) -> Result<(), CodexError> {
    match variables(text).next() {
        Some(_) => Err(CodexError::Variable(text.to_owned())),
        None => Ok(()),
    }
}
