//! `mcp.json`: the servers of the canon, in the form that Claude Code reads.

use crate::toolfiles::json::JsonSettings;
use serde_json::{Map, Value};

/// A server.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Server {
    pub name: String,
    pub link: Link,
}

/// How it is reached.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Link {
    /// A program that the tool starts.
    Program { command: String, args: Vec<String>, env: Vec<(String, String)> },
    /// An address.
    Remote { url: String, events: bool, headers: Vec<(String, String)> },
}

/// Reads the file: each server, or why it is none.
///
/// # Errors
/// The file as a whole cannot be used.
pub(super) fn read(text: &str) -> Result<Vec<Result<Server, String>>, String> {
    let settings = JsonSettings::parse(text).map_err(|problem| format!("it cannot be read as JSON: {problem}"))?;
    let servers = settings.get(&["mcpServers".to_owned()]).map_err(|no_way| no_way.to_string())?;
    let Some(Value::Object(servers)) = servers else {
        return Err("it has no object `mcpServers`".to_owned());
    };
    Ok(servers.iter().map(|(name, value)| server(name, value).map_err(|why| format!("`{name}`: {why}"))).collect())
}

fn server(name: &str, value: &Value) -> Result<Server, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || !name.chars().all(plain) {
        return Err("a server's name has letters, digits, `-` and `_` only, so that every tool takes it".to_owned());
    }
    let Value::Object(keys) = value else { return Err("a server is an object".to_owned()) };
    let known = ["type", "command", "args", "env", "url", "headers"];
    if let Some(unknown) = keys.keys().find(|key| !known.contains(&key.as_str())) {
        return Err(format!("unknown key `{unknown}`; known are {}", known.join(", ")));
    }
    let link = match (text(keys, "command")?, text(keys, "url")?) {
        (Some(command), None) => Link::Program { command, args: list(keys)?, env: pairs(keys, "env")? },
        (None, Some(url)) => {
            let events = text(keys, "type")?.as_deref() == Some("sse");
            Link::Remote { url, events, headers: pairs(keys, "headers")? }
        }
        _ => return Err("a server has either `command` or `url`".to_owned()),
    };
    Ok(Server { name: name.to_owned(), link })
}

fn text(keys: &Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match keys.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{key}` is a text")),
    }
}

fn list(keys: &Map<String, Value>) -> Result<Vec<String>, String> {
    let items = match keys.get("args") {
        None => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err("`args` is a list of texts".to_owned()),
    };
    let text = |item: &Value| item.as_str().map(str::to_owned).ok_or_else(|| "`args` is a list of texts".to_owned());
    items.iter().map(text).collect()
}

fn pairs(keys: &Map<String, Value>, key: &str) -> Result<Vec<(String, String)>, String> {
    let wrong = || format!("`{key}` maps names to texts");
    let map = match keys.get(key) {
        None => return Ok(Vec::new()),
        Some(Value::Object(map)) => map,
        Some(_) => return Err(wrong()),
    };
    map.iter().map(|(name, value)| Ok((name.clone(), value.as_str().ok_or_else(wrong)?.to_owned()))).collect()
}
