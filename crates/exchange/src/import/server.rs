//! Converts one MCP server to the format of the canon.

use super::formats;
use super::secrets::{SecretVariables, variable_name};
use canonry_agents::mcp::{McpServer, ServerError, UnsupportedServer, canonical_variables};
use canonry_text::secrets::{self, SettingSecret};
use serde_json::{Map, Value};

/// A server that the canon cannot contain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ImportedServerError {
    #[error(transparent)]
    Invalid(#[from] ServerError),
    #[error("it uses a variable that only its editor defines")]
    EditorVariable,
    #[error("the canon cannot express its restriction: {0}")]
    Restriction(#[from] UnsupportedServer),
}

impl ImportedServerError {
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Invalid(ServerError::Name) => "rename it",
            Self::Invalid(ServerError::NotAnObject | ServerError::UnknownType(_)) => "",
            Self::Invalid(_) => "fix it, then run this again",
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
) -> Result<Value, ImportedServerError> {
    let mut value = value.clone();
    canonical_variables(&mut value);
    let server = McpServer::parse(name, &value)?;
    let rendered = server.render_canon()?;
    if !rendered.left_out.is_empty() {
        let keys: Vec<String> = rendered.left_out.iter().map(|key| format!("`{key}`")).collect();
        changes.push(format!("removed {}: the canon has no such key", keys.join(", ")));
    }
    changes.extend(server.misfits.iter().map(|key| format!("removed `{key}`, which does not fit its transport")));
    let mut value = rendered.value;
    if let Value::Object(keys) = &mut value {
        replace_secrets(name, keys, variables, changes);
    }
    let is_editor_variable =
        |text: &str| text.contains("${input:") || text.contains("${command:") || text.contains("${workspaceFolder");
    if is_editor_variable(&value.to_string()) {
        return Err(ImportedServerError::EditorVariable);
    }
    Ok(value)
}

/// Replaces secrets with variables.
fn replace_secrets(
    name: &str,
    server: &mut Map<String, Value>,
    variables: &mut SecretVariables,
    changes: &mut Vec<String>,
) {
    for (key, value) in server.iter_mut() {
        match value {
            Value::String(text) => {
                let secrets = secrets::find_in_setting("", text);
                replace_ranges(name, key, text, secrets, variables, changes);
            }
            Value::Array(_) => {
                let mut args = formats::strings(Some(value));
                for (index, secret) in secrets::find_in_arguments(&args).into_iter().rev() {
                    replace_ranges(name, key, &mut args[index], vec![secret], variables, changes);
                }
                *value = Value::from(args);
            }
            Value::Object(pairs) => {
                for (inner, value) in pairs.iter_mut() {
                    let Value::String(text) = value else { continue };
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn normalized(value: Value) -> (Value, Vec<String>) {
        let mut changes = Vec::new();
        let server = normalize("my-db", &value, &mut SecretVariables::default(), &mut changes).unwrap();
        (server, changes)
    }

    #[test]
    fn converts_servers_to_the_format_of_the_canon() {
        let (server, changes) =
            normalized(json!({"httpUrl": "https://x.example/mcp", "headers": {"X-Trace": "1"}, "alwaysLoad": true}));
        assert_eq!(server, json!({"type": "http", "url": "https://x.example/mcp", "headers": {"X-Trace": "1"}}));
        assert_eq!(changes, ["removed `alwaysLoad`: the canon has no such key"]);
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
                json!({"clientId": "a", "scopes": "b"}),
            ),
            (json!({"url": url, "auth": {"CLIENT_ID": "a", "scopes": ["b"]}}), json!({"clientId": "a", "scopes": "b"})),
            (
                json!({"url": url, "scopes": ["b"], "oauth": {"client_id": "a"}}),
                json!({"clientId": "a", "scopes": "b"}),
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
