//! Converts the options that tools name or measure differently to those of the canon.

use serde_json::{Map, Value};

/// The keys of an OAuth client, in the canon and elsewhere.
const CLIENT_KEYS: [(&str, &str); 9] = [
    ("clientId", "clientId"),
    ("client_id", "clientId"),
    ("CLIENT_ID", "clientId"),
    ("clientSecret", "clientSecret"),
    ("CLIENT_SECRET", "clientSecret"),
    ("scopes", "scopes"),
    ("callbackPort", "callbackPort"),
    ("authServerMetadataUrl", "authServerMetadataUrl"),
    ("client_secret", "clientSecret"),
];

/// Converts units, and what some tools write in several keys.
pub(super) fn convert(given: &Map<String, Value>, changes: &mut Vec<String>) -> Map<String, Value> {
    let mut server = Map::new();
    let mut client = Map::new();
    for (key, value) in given {
        match (key.as_str(), value) {
            ("tool_timeout_sec" | "timeoutSeconds", Value::Number(seconds)) => {
                let milliseconds = milliseconds(seconds.as_f64().unwrap_or_default());
                changes.push(format!("converted `{key}` to `timeout` in milliseconds"));
                server.insert("timeout".to_owned(), Value::from(milliseconds));
            }
            ("oauth" | "auth", Value::Object(keys)) => add_client(key, keys, &mut client, changes),
            ("scopes", Value::Array(_)) => drop(client.insert("scopes".to_owned(), value.clone())),
            ("tools", Value::Object(tools)) if tools.values().all(is_approved) => {
                changes.push("converted `tools` to `alwaysAllow`".to_owned());
                server.insert("alwaysAllow".to_owned(), tools.keys().cloned().collect());
            }
            // Copilot CLI writes the filter of a server always, and `*` for all of its tools.
            ("tools", Value::Array(tools)) if *tools == ["*"] => {}
            ("tools", Value::Array(_)) => {
                changes.push("renamed `tools` to `includeTools`".to_owned());
                server.insert("includeTools".to_owned(), value.clone());
            }
            _ => drop(server.insert(key.clone(), value.clone())),
        }
    }
    if !client.is_empty() {
        server.insert("oauth".to_owned(), Value::Object(client));
    }
    server
}

/// Whether a tool of a server of Codex runs without a question.
fn is_approved(tool: &Value) -> bool {
    tool.as_object().is_some_and(|tool| tool.len() == 1 && tool.get("approval_mode") == Some(&Value::from("approve")))
}

/// A time limit in whole milliseconds. A negative one, which means no limit in Antigravity, becomes invalid.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1000.0).round().max(0.0) as u64
}

fn add_client(section: &str, keys: &Map<String, Value>, client: &mut Map<String, Value>, changes: &mut Vec<String>) {
    let mut lost = Vec::new();
    for (key, value) in keys {
        match CLIENT_KEYS.iter().find(|(name, _)| name == key) {
            Some((_, known)) => drop(client.insert((*known).to_owned(), value.clone())),
            // Gemini CLI's switch; a client in the canon is always used.
            None if key == "enabled" && *value == Value::Bool(true) => {}
            None => lost.push(format!("`{section}.{key}`")),
        }
    }
    if section == "auth" {
        changes.push("renamed `auth` to `oauth`".to_owned());
    }
    if !lost.is_empty() {
        changes.push(format!("removed {}: the canon has no such key", lost.join(", ")));
    }
}
