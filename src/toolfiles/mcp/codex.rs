//! A server as a table of Codex's `config.toml`.

use super::server::{Link, Server};
use super::variables::all_in;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value, value};

/// The table's lines, header included.
///
/// # Errors
/// Codex has no words for a part of it.
pub(super) fn table(server: &Server) -> Result<String, String> {
    let mut table = Table::new();
    match &server.link {
        Link::Program { command, args, env } => {
            plain(command)?;
            args.iter().try_for_each(|arg| plain(arg))?;
            table["command"] = value(command.as_str());
            if !args.is_empty() {
                table["args"] = value(args.iter().map(String::as_str).collect::<Array>());
            }
            let (passed, set): (Vec<_>, Vec<_>) = env.iter().partition(|(name, text)| is_variable(text, name));
            set.iter().try_for_each(|(_, text)| plain(text))?;
            if !set.is_empty() {
                table["env"] = pairs(set.iter().map(|(name, text)| (name.as_str(), text.as_str())));
            }
            if !passed.is_empty() {
                table["env_vars"] = value(passed.iter().map(|(name, _)| name.as_str()).collect::<Array>());
            }
        }
        Link::Remote { events: true, .. } => return Err("it reads no servers that send events (`sse`)".to_owned()),
        Link::Remote { url, headers, .. } => {
            plain(url)?;
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

fn add_headers(table: &mut Table, headers: &[(String, String)]) -> Result<(), String> {
    let (mut set, mut passed) = (Vec::new(), Vec::new());
    for (name, text) in headers {
        let bearer = text.strip_prefix("Bearer ").filter(|_| name.eq_ignore_ascii_case("authorization"));
        match (bearer.and_then(variable), variable(text)) {
            (Some(token), _) => table["bearer_token_env_var"] = value(token),
            (None, Some(variable)) => passed.push((name.as_str(), variable)),
            (None, None) => {
                plain(text)?;
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

/// The name, where the whole text is one variable without a default.
fn variable(text: &str) -> Option<&str> {
    all_in(text).next().filter(|variable| variable.whole == text && !variable.has_default).map(|v| v.name)
}

fn is_variable(text: &str, name: &str) -> bool {
    variable(text) == Some(name)
}

fn plain(text: &str) -> Result<(), String> {
    if all_in(text).next().is_some() {
        return Err(format!("it puts no variable in the place of a part of `{text}`"));
    }
    Ok(())
}
