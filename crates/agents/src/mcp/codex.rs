//! MCP servers as tables in Codex's `config.toml`.

use super::options::ServerOptions;
use super::server::{McpServer, Protocol, Transport, UnsupportedServer, VariableError, variables};
use canonry_model::canon::permissions::Verdict;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value, value};

/// A server's table.
pub(super) struct CodexTable {
    /// Its lines, including the header.
    pub text: String,
    /// Keys that Codex has no equivalent of.
    pub left_out: Vec<String>,
}

/// Returns the table of a server.
///
/// # Errors
/// See [`UnsupportedServer`].
pub(super) fn table(server: &McpServer) -> Result<CodexTable, UnsupportedServer> {
    if let Some(key) = &server.options.restriction {
        return Err(UnsupportedServer::UnknownRestriction(key.clone()));
    }
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
        Transport::Remote { protocol: Protocol::Sse, .. } => return Err(UnsupportedServer::Sse),
        Transport::Remote { protocol: Protocol::WebSocket, .. } => return Err(UnsupportedServer::WebSocket),
        Transport::Remote { url, headers, .. } => {
            check_plain(url)?;
            table["url"] = value(url.as_str());
            add_headers(&mut table, headers)?;
        }
    }
    let left_out = add_options(&mut table, &server.options)?;
    let mut servers = Table::new();
    servers.set_implicit(true);
    servers.insert(&server.name, Item::Table(table));
    let mut document = DocumentMut::new();
    document.insert("mcp_servers", Item::Table(servers));
    Ok(CodexTable { text: document.to_string(), left_out })
}

/// Adds the options, and returns the keys that Codex has no equivalent of.
fn add_options(table: &mut Table, options: &ServerOptions) -> Result<Vec<String>, UnsupportedServer> {
    let mut left_out = options.unknown.clone();
    let array = |items: &[String]| value(items.iter().map(String::as_str).collect::<Array>());
    if let Some(cwd) = &options.cwd {
        check_plain(cwd)?;
        table["cwd"] = value(cwd.as_str());
    }
    if let Some(time) = options.timeout {
        // Whole seconds look better without a fraction, and Codex reads both.
        table["tool_timeout_sec"] = match i64::try_from(time / 1000) {
            Ok(seconds) if time.is_multiple_of(1000) => value(seconds),
            _ => value(std::time::Duration::from_millis(time).as_secs_f64()),
        };
    }
    if let Some(tools) = &options.include_tools {
        table["enabled_tools"] = array(tools);
    }
    if !options.exclude_tools.is_empty() {
        table["disabled_tools"] = array(&options.exclude_tools);
    }
    if options.headers_helper.is_some() {
        left_out.push("headersHelper".to_owned());
    }
    if let Some(client) = &options.oauth {
        if !client.scopes.is_empty() {
            table["scopes"] = array(&client.scopes);
        }
        if let Some(id) = &client.id {
            check_plain(id)?;
            table["oauth"] = pairs(std::iter::once(("client_id", id.as_str())));
        }
        let lost = [
            ("oauth.clientSecret", client.secret.is_some()),
            ("oauth.callbackPort", client.callback_port.is_some()),
            ("oauth.authServerMetadataUrl", client.metadata_url.is_some()),
        ];
        left_out.extend(lost.into_iter().filter(|(_, is_set)| *is_set).map(|(key, _)| key.to_owned()));
    }
    match options.default_decision {
        Some(Verdict::Allow) => table["default_tools_approval_mode"] = value("approve"),
        Some(Verdict::Ask) => table["default_tools_approval_mode"] = value("prompt"),
        Some(Verdict::Unlisted | Verdict::Deny) | None => {}
    }
    let mut tools = Table::new();
    tools.set_implicit(true);
    for (names, mode) in [(&options.always_allow, "approve"), (&options.ask_tools, "prompt")] {
        for tool in names {
            let mut approval = Table::new();
            approval["approval_mode"] = value(mode);
            tools.insert(tool, Item::Table(approval));
        }
    }
    if !tools.is_empty() {
        table.insert("tools", Item::Table(tools));
    }
    Ok(left_out)
}

fn add_headers(table: &mut Table, headers: &[(String, String)]) -> Result<(), UnsupportedServer> {
    let mut set = Vec::new();
    let mut passed = Vec::new();
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

fn check_plain(text: &str) -> Result<(), VariableError> {
    match variables(text).next() {
        Some(_) => Err(VariableError::Within(text.to_owned())),
        None => Ok(()),
    }
}
