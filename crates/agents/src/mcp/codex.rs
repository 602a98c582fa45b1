//! MCP servers as tables in Codex's `config.toml`.

use super::options::ServerOptions;
use super::server::{McpServer, Protocol, RenderedServer, Transport, UnsupportedServer};
use super::variables::{Variable, VariableError, variables};
use canonry_model::canon::permissions::Verdict;
use serde_json::{Map, Value, json};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table};

/// Returns the table of a server.
///
/// # Errors
/// See [`UnsupportedServer`].
pub(super) fn entry(server: &McpServer) -> Result<RenderedServer, UnsupportedServer> {
    let mut entry = RenderedServer::begin(server)?;
    let mut table = Map::new();
    let mut put = |key: &str, value: Value| put(&mut table, key, value);
    match &server.transport {
        Transport::Stdio { command, args, env } => {
            check_plain(command)?;
            args.iter().try_for_each(|arg| check_plain(arg))?;
            put("command", json!(command));
            put("args", json!(args));
            let (passed, set): (Vec<_>, Vec<_>) =
                env.iter().partition(|(name, text)| only_variable(text) == Some(name.as_str()));
            set.iter().try_for_each(|(_, text)| check_plain(text))?;
            put("env", set.iter().map(|(name, text)| (name.clone(), json!(text))).collect());
            put("env_vars", passed.iter().map(|(name, _)| json!(name)).collect());
        }
        Transport::Remote { protocol: Protocol::Sse, .. } => return Err(UnsupportedServer::Sse),
        Transport::Remote { protocol: Protocol::WebSocket, .. } => return Err(UnsupportedServer::WebSocket),
        Transport::Remote { url, headers, .. } => {
            check_plain(url)?;
            put("url", json!(url));
            let mut set = Map::new();
            let mut passed = Map::new();
            for (name, text) in headers {
                let bearer = text.strip_prefix("Bearer ").filter(|_| name.eq_ignore_ascii_case("authorization"));
                match (bearer.and_then(only_variable), only_variable(text)) {
                    (Some(token), _) => put("bearer_token_env_var", json!(token)),
                    (None, Some(variable)) => drop(passed.insert(name.clone(), json!(variable))),
                    (None, None) => {
                        check_plain(text)?;
                        set.insert(name.clone(), json!(text));
                    }
                }
            }
            put("http_headers", Value::Object(set));
            put("env_http_headers", Value::Object(passed));
        }
    }
    add_options(&mut table, &server.options, &mut entry)?;
    entry.value = Value::Object(table);
    Ok(entry)
}

/// Adds a key whose empty value means nothing.
fn put(table: &mut Map<String, Value>, key: &str, value: Value) {
    let is_empty = value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty);
    if !is_empty {
        table.insert(key.to_owned(), value);
    }
}

fn add_options(
    table: &mut Map<String, Value>,
    options: &ServerOptions,
    entry: &mut RenderedServer,
) -> Result<(), UnsupportedServer> {
    // An empty list of the only tools means none.
    if let Some(tools) = &options.include_tools {
        table.insert("enabled_tools".to_owned(), json!(tools));
    }
    let mut put = |key: &str, value: Value| put(table, key, value);
    if let Some(cwd) = &options.cwd {
        check_plain(cwd)?;
        put("cwd", json!(cwd));
    }
    if let Some(time) = options.timeout {
        // Whole seconds look better without a fraction, and Codex reads both.
        let seconds = if time.is_multiple_of(1000) {
            json!(time / 1000)
        } else {
            json!(std::time::Duration::from_millis(time).as_secs_f64())
        };
        put("tool_timeout_sec", seconds);
    }
    put("disabled_tools", json!(options.exclude_tools));
    entry.leave_out("headersHelper", options.headers_helper.is_some());
    if let Some(client) = &options.oauth {
        put("scopes", json!(client.scopes));
        if let Some(id) = &client.id {
            check_plain(id)?;
            put("oauth", json!({"client_id": id}));
        }
        entry.leave_out("oauth.clientSecret", client.secret.is_some());
        entry.leave_out("oauth.callbackPort", client.callback_port.is_some());
        entry.leave_out("oauth.authServerMetadataUrl", client.metadata_url.is_some());
    }
    match options.default_decision {
        Some(Verdict::Allow) => put("default_tools_approval_mode", json!("approve")),
        Some(Verdict::Ask) => put("default_tools_approval_mode", json!("prompt")),
        Some(Verdict::Unlisted | Verdict::Deny) | None => {}
    }
    let mode = |mode: &'static str| move |tool: &String| (tool.clone(), json!({"approval_mode": mode}));
    let approved = options.always_allow.iter().map(mode("approve"));
    put("tools", approved.chain(options.ask_tools.iter().map(mode("prompt"))).collect());
    Ok(())
}

/// The lines of a server's table, including the header.
pub(super) fn table_text(name: &str, server: &Value) -> String {
    let mut table = Table::new();
    for (key, value) in server.as_object().into_iter().flatten() {
        let item = match value {
            Value::Object(tools) if key == "tools" => {
                Item::Table(implicit(tools.iter().map(|(tool, keys)| (tool, Item::Table(inline(keys).into_table())))))
            }
            Value::Object(_) => toml_edit::value(inline(value)),
            other => toml_edit::value(scalar(other)),
        };
        table.insert(key, item);
    }
    let servers = implicit(std::iter::once((&name.to_owned(), Item::Table(table))));
    let mut document = DocumentMut::new();
    document.insert("mcp_servers", Item::Table(servers));
    document.to_string()
}

fn implicit<'k>(items: impl Iterator<Item = (&'k String, Item)>) -> Table {
    let mut table = Table::new();
    table.set_implicit(true);
    items.for_each(|(key, item)| drop(table.insert(key, item)));
    table
}

fn inline(pairs: &Value) -> InlineTable {
    pairs.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), scalar(value))).collect()
}

fn scalar(value: &Value) -> toml_edit::Value {
    match value {
        Value::Array(items) => toml_edit::Value::Array(items.iter().map(scalar).collect::<Array>()),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64().unwrap_or_default().into(),
        },
        other => other.as_str().unwrap_or_default().into(),
    }
}

/// Returns the name of the variable if the text is nothing but one variable without a default.
fn only_variable(text: &str) -> Option<&str> {
    let is_whole = |variable: &Variable<'_>| variable.expression == text && !variable.has_default;
    variables(text).next().filter(is_whole).map(|variable| variable.name)
}

fn check_plain(text: &str) -> Result<(), VariableError> {
    match variables(text).next() {
        Some(_) => Err(VariableError::Within(text.to_owned())),
        None => Ok(()),
    }
}
