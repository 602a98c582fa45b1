//! Converts one MCP server to the format of the canon.

use super::formats;
use super::secrets::{SecretVariables, variable_name};
use super::server_options;
use canonry_model::canon::mcp_keys::{SERVER_KEYS, canonical_key, is_http_type, may_restrict};
use canonry_text::secrets::{self, SettingSecret};
use serde_json::{Map, Value};

/// Keys that other tools use for the URL of a streamable HTTP server.
const HTTP_URL_KEYS: [&str; 2] = ["httpUrl", "serverUrl"];

/// A server that the canon cannot contain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ImportedServerError {
    #[error("its name has characters other than letters, digits, `-` and `_`, which some tools reject")]
    Name,
    #[error("it is not an object")]
    NotAnObject,
    #[error("it needs exactly one of `command` and `url`")]
    Transport,
    #[error("`{0}` has an invalid value")]
    InvalidValue(String),
    #[error("canonry does not know its type `{0}`")]
    Type(String),
    #[error("it uses a variable that only its editor defines")]
    EditorVariable,
    #[error("`{0}` may be a restriction, which the canon cannot express")]
    Restriction(String),
}

impl ImportedServerError {
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Name => "rename it",
            Self::NotAnObject | Self::Type(_) => "",
            Self::Transport | Self::InvalidValue(_) => "fix it, then run this again",
            Self::Restriction(_) => "keep the server in the tool's own file, or use `includeTools` and `excludeTools`",
            Self::EditorVariable => "replace it with an environment variable, then run this again",
        }
    }
}

/// Converts a server to the canon's format.
pub(super) fn normalize(
    name: &str,
    value: &Value,
    variables: &mut SecretVariables,
    changes: &mut Vec<String>,
) -> Result<Map<String, Value>, ImportedServerError> {
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
        return Err(ImportedServerError::Name);
    }
    let given = value.as_object().ok_or(ImportedServerError::NotAnObject)?;
    let given = &server_options::convert(given, changes);
    let mut server = Map::new();
    let mut lost = Vec::new();
    for (key, value) in given {
        match key.as_str() {
            key if HTTP_URL_KEYS.contains(&key) => {
                changes.push(format!("renamed `{key}` to `url`"));
                server.insert("type".to_owned(), Value::from("http"));
                server.insert("url".to_owned(), value.clone());
            }
            "transport" if !given.contains_key("type") => {
                changes.push("renamed `transport` to `type`".to_owned());
                server.insert("type".to_owned(), value.clone());
            }
            "disabled" | "enabled" => {}
            known if SERVER_KEYS.contains(&known) => {
                server.insert(key.clone(), value.clone());
            }
            other => match canonical_key(other) {
                Some(known) => {
                    if server.insert(known.to_owned(), value.clone()).is_some() {
                        return Err(ImportedServerError::InvalidValue(known.to_owned()));
                    }
                    changes.push(format!("renamed `{other}` to `{known}`"));
                }
                None if may_restrict(other) => return Err(ImportedServerError::Restriction(other.to_owned())),
                None => lost.push(format!("`{key}`")),
            },
        }
    }
    if !lost.is_empty() {
        changes.push(format!("removed {}: the canon has no such key", lost.join(", ")));
    }
    normalize_type(&mut server)?;
    if server.contains_key("command") == server.contains_key("url") {
        return Err(ImportedServerError::Transport);
    }
    if server.contains_key("url") {
        let env = server.shift_remove("env");
        if env.as_ref().and_then(Value::as_object).is_some_and(|env| !env.is_empty()) {
            changes.push("removed `env`: a server with a URL starts no process".to_owned());
        }
    }
    let unfit: &[&str] = if server.contains_key("url") { &["cwd"] } else { &["headersHelper", "oauth"] };
    for key in unfit.iter().filter(|key| server.shift_remove(**key).is_some()) {
        changes.push(format!("removed `{key}`, which does not fit the server's transport"));
    }
    check_types(&server)?;
    replace_secrets(name, &mut server, variables, changes);
    let is_editor_variable =
        |text: &str| text.contains("${input:") || text.contains("${command:") || text.contains("${workspaceFolder");
    if serde_json::to_string(&server).is_ok_and(|text| is_editor_variable(&text)) {
        return Err(ImportedServerError::EditorVariable);
    }
    if given.get("disabled") == Some(&Value::Bool(true)) || given.get("enabled") == Some(&Value::Bool(false)) {
        server.insert("disabled".to_owned(), Value::Bool(true));
    }
    Ok(server)
}

/// Writes the type as the canon does; a server with a URL that starts with `wss://` uses a WebSocket.
fn normalize_type(server: &mut Map<String, Value>) -> Result<(), ImportedServerError> {
    let url = server.get("url").and_then(Value::as_str).unwrap_or_default();
    let is_socket = url.starts_with("ws://") || url.starts_with("wss://");
    let kind = match server.get("type").and_then(Value::as_str) {
        // `command` implies it.
        Some("stdio" | "local") => None,
        Some("ws" | "websocket") => Some("ws"),
        Some("sse") => Some(if is_socket { "ws" } else { "sse" }),
        Some(kind) if is_http_type(kind) => Some(if is_socket { "ws" } else { "http" }),
        None if is_socket => Some("ws"),
        None => return Ok(()),
        Some(other) => return Err(ImportedServerError::Type(other.to_owned())),
    };
    match kind {
        Some(kind) => drop(server.insert("type".to_owned(), Value::from(kind))),
        None => drop(server.shift_remove("type")),
    }
    Ok(())
}

fn check_types(server: &Map<String, Value>) -> Result<(), ImportedServerError> {
    let is_valid = |(key, value): (&String, &Value)| match key.as_str() {
        "timeout" => value.as_u64().is_some_and(|time| time > 0),
        "oauth" => value.is_object(),
        "args" | "includeTools" | "excludeTools" | "alwaysAllow" => {
            value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
        }
        "env" | "headers" => value.as_object().is_some_and(|pairs| pairs.values().all(Value::is_string)),
        _ => value.is_string(),
    };
    match server.iter().find(|pair| !is_valid(*pair)) {
        None => Ok(()),
        Some((key, _)) => Err(ImportedServerError::InvalidValue(key.clone())),
    }
}

/// Writes variables in the canon's syntax, and replaces secrets with variables.
fn replace_secrets(
    name: &str,
    server: &mut Map<String, Value>,
    variables: &mut SecretVariables,
    changes: &mut Vec<String>,
) {
    for (key, value) in server.iter_mut() {
        match value {
            Value::String(text) => {
                *text = with_canon_variables(text);
                let secrets = secrets::find_in_setting("", text);
                replace_ranges(name, key, text, secrets, variables, changes);
            }
            Value::Array(_) => {
                let mut args: Vec<String> =
                    formats::strings(Some(value)).iter().map(|arg| with_canon_variables(arg)).collect();
                for (index, secret) in secrets::find_in_arguments(&args).into_iter().rev() {
                    replace_ranges(name, key, &mut args[index], vec![secret], variables, changes);
                }
                *value = Value::from(args);
            }
            Value::Object(pairs) => {
                for (inner, value) in pairs.iter_mut() {
                    let Value::String(text) = value else { continue };
                    *text = with_canon_variables(text);
                    let secrets = secrets::find_in_setting(inner, text);
                    let Some(first) = secrets.first() else { continue };
                    let wanted = if key == "env" { inner.clone() } else { variable_name(name, inner) };
                    let variable = variables.variable(name, &wanted, text);
                    // `Bearer ` in front of the secret stays; of everything else, the whole value is replaced.
                    let scheme = text[..first.range.start].to_owned();
                    let scheme =
                        if scheme.ends_with(' ') && first.range.end == text.len() { scheme } else { String::new() };
                    *text = format!("{scheme}${{{variable}}}");
                    changes.push(replacement(&format!("the value of `{key}.{inner}`"), &variable));
                }
            }
            _ => {}
        }
    }
}

/// Replaces the secrets in a text, from the last to the first.
fn replace_ranges(
    name: &str,
    key: &str,
    text: &mut String,
    secrets: Vec<SettingSecret>,
    variables: &mut SecretVariables,
    changes: &mut Vec<String>,
) {
    for secret in secrets.into_iter().rev() {
        let wanted = variable_name(name, &secret.label);
        let variable = variables.variable(name, &wanted, &text[secret.range.clone()]);
        text.replace_range(secret.range, &format!("${{{variable}}}"));
        changes.push(replacement(&format!("a part of `{key}`"), &variable));
    }
}

fn replacement(what: &str, variable: &str) -> String {
    format!("replaced {what}, a possible secret, with `${{{variable}}}`; set {variable} in the environment")
}

/// Writes `${env:NAME}` and `$NAME` as `${NAME}`.
fn with_canon_variables(text: &str) -> String {
    let text = text.replace("${env:", "${");
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match text.strip_prefix('$') {
        Some(name) if is_name(name) => format!("${{{name}}}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn normalized(value: Value) -> (Value, Vec<String>) {
        let mut changes = Vec::new();
        let server = normalize("my-db", &value, &mut SecretVariables::default(), &mut changes).unwrap();
        (Value::Object(server), changes)
    }

    #[test]
    fn converts_servers_to_the_format_of_the_canon() {
        let (server, changes) =
            normalized(json!({"httpUrl": "https://x.example/mcp", "headers": {"X-Trace": "1"}, "alwaysLoad": true}));
        assert_eq!(server, json!({"type": "http", "url": "https://x.example/mcp", "headers": {"X-Trace": "1"}}));
        assert_eq!(changes, ["renamed `httpUrl` to `url`", "removed `alwaysLoad`: the canon has no such key"]);
        let (server, changes) =
            normalized(json!({"type": "stdio", "command": "x", "args": ["${env:A}"], "env": {"B": "$B"}}));
        assert_eq!(server, json!({"command": "x", "args": ["${A}"], "env": {"B": "${B}"}}));
        assert!(changes.is_empty());
        let (server, _) = normalized(json!({"command": "x", "enabled": false}));
        assert_eq!(server, json!({"command": "x", "disabled": true}));
        for (value, kind) in [
            (json!({"type": "ws", "url": "wss://x.example"}), "ws"),
            (json!({"url": "wss://x.example"}), "ws"),
            (json!({"type": "streamable-http", "url": "https://x.example"}), "http"),
        ] {
            assert_eq!(normalized(value).0["type"], kind);
        }
    }

    #[test]
    fn options_of_every_tool_become_those_of_the_canon() {
        for (given, want) in [
            (json!({"tool_timeout_sec": 1.5, "enabled_tools": ["a"]}), json!({"timeout": 1500, "includeTools": ["a"]})),
            (json!({"timeoutSeconds": 3, "disabledTools": ["a"]}), json!({"timeout": 3000, "excludeTools": ["a"]})),
            (
                json!({"timeout": 5, "cwd": "a", "includeTools": []}),
                json!({"timeout": 5, "cwd": "a", "includeTools": []}),
            ),
            (json!({"tools": {"a": {"approval_mode": "approve"}}}), json!({"alwaysAllow": ["a"]})),
        ] {
            let with_command = |mut value: Value| {
                value["command"] = json!("x");
                value
            };
            assert_eq!(normalized(with_command(given)).0, with_command(want));
        }
        let url = "https://x.example/mcp";
        for (given, oauth) in [
            (
                json!({"url": url, "oauth": {"clientId": "a", "scopes": "b c"}}),
                json!({"clientId": "a", "scopes": "b c"}),
            ),
            (
                json!({"url": url, "oauth": {"enabled": true, "clientId": "a", "scopes": ["b"], "issuer": "i"}}),
                json!({"clientId": "a", "scopes": ["b"]}),
            ),
            (
                json!({"url": url, "auth": {"CLIENT_ID": "a", "scopes": ["b"]}}),
                json!({"clientId": "a", "scopes": ["b"]}),
            ),
            (
                json!({"url": url, "scopes": ["b"], "oauth": {"client_id": "a"}}),
                json!({"clientId": "a", "scopes": ["b"]}),
            ),
        ] {
            assert_eq!(normalized(given.clone()).0["oauth"], oauth, "{given}");
        }
        let (server, _) = normalized(json!({"url": url, "auth": {"CLIENT_ID": "a", "CLIENT_SECRET": "s3cret-value"}}));
        assert_eq!(server["oauth"]["clientSecret"], "${MY_DB_CLIENTSECRET}");
    }

    #[test]
    fn imports_no_secret() {
        let (server, changes) = normalized(json!({"command": "x", "env": {"API_KEY": "abc", "MODE": "y"}}));
        assert_eq!(server, json!({"command": "x", "env": {"API_KEY": "${API_KEY}", "MODE": "y"}}));
        assert!(changes[0].contains("env.API_KEY") && !changes[0].contains("abc"), "{changes:?}");
        let (server, _) = normalized(json!({"url": "https://x.example", "headers": {"Authorization": "Bearer abc"}}));
        assert_eq!(server["headers"]["Authorization"], "Bearer ${MY_DB_AUTHORIZATION}");
        let (server, _) = normalized(json!({"url": "https://u:p@x.example"}));
        assert_eq!(server["url"], "https://u:${MY_DB_PASSWORD}@x.example");
        let (server, _) = normalized(json!({"command": "x", "args": ["--token=ghp_0123456789abcdef", "--key", "b"]}));
        assert_eq!(server["args"], json!(["--token=${MY_DB_TOKEN}", "--key", "${MY_DB_KEY}"]));
        for value in [
            json!({"command": "x", "url": "y"}),
            json!({"command": "x", "args": [1]}),
            json!({"command": "x", "env": {"A": "${input:a}"}}),
            json!({"type": "smtp", "url": "x"}),
            json!({"command": "x", "default_tools_approval_mode": "prompt"}),
            json!({"command": "x", "timeout": "5"}),
        ] {
            let result = normalize("a", &value, &mut SecretVariables::default(), &mut Vec::new());
            assert!(result.is_err(), "{value}");
        }
    }
}
