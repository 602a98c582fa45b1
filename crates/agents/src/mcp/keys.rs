//! The keys of an MCP server: names and units of each tool, as those of the canon.

use super::values::ServerError;
use canonry_model::config::TOOLS;
use canonry_model::tools::tool_formats::{JsonServers, McpFormat, TimeLimit, ToolFilters, TransportKey};
use serde_json::{Map, Value, json};

/// The keys that the canon knows.
const SERVER_KEYS: [&str; 14] = [
    "type",
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "headersHelper",
    "oauth",
    "timeout",
    "disabled",
    "includeTools",
    "excludeTools",
    "alwaysAllow",
];

/// Names that no row of the table has: those of Codex and OpenCode.
const ALIASES: [(&str, &str); 7] = [
    ("enabled_tools", "includeTools"),
    ("disabled_tools", "excludeTools"),
    ("tool_timeout_sec", "timeout"),
    ("default_tools_approval_mode", APPROVAL_MODE),
    ("http_headers", "headers"),
    ("environment", "env"),
    ("auth", "oauth"),
];

/// Decision about all tools of a server, which the canon has in its permissions.
pub(super) const APPROVAL_MODE: &str = "approvalMode";
/// Tools of a server that require approval, which the canon has in its permissions.
pub(super) const ASK_TOOLS: &str = "askTools";

/// The keys of an OAuth client.
pub(super) const OAUTH_KEYS: [(&str, &str); 10] = [
    ("clientId", "clientId"),
    ("client_id", "clientId"),
    ("CLIENT_ID", "clientId"),
    ("clientSecret", "clientSecret"),
    ("client_secret", "clientSecret"),
    ("CLIENT_SECRET", "clientSecret"),
    ("scopes", "scopes"),
    ("scope", "scopes"),
    ("callbackPort", "callbackPort"),
    ("authServerMetadataUrl", "authServerMetadataUrl"),
];

/// Parts of names whose keys limit what a server may do.
const RESTRICTING_WORDS: [&str; 15] = [
    "tool",
    "allow",
    "deny",
    "denied",
    "block",
    "permission",
    "restrict",
    "sandbox",
    "readonly",
    "read_only",
    "approv",
    "policy",
    "enable",
    "disable",
    "exclude",
];

/// The keys of a server by their names in the canon.
#[derive(Default)]
pub(super) struct CanonKeys {
    pub known: Map<String, Value>,
    pub unknown: Map<String, Value>,
}

impl CanonKeys {
    /// Sorts the keys of a server in the format of any tool.
    ///
    /// # Errors
    /// A key occurs twice, under different names.
    pub fn of(given: &Map<String, Value>) -> Result<Self, ServerError> {
        let mut keys = Self::default();
        given.iter().try_for_each(|(key, value)| keys.add(key, value))?;
        Ok(keys)
    }

    fn add(&mut self, key: &str, value: &Value) -> Result<(), ServerError> {
        match (key, value) {
            ("enabled", Value::Bool(true)) => {}
            ("enabled", Value::Bool(false)) => drop(self.known.insert("disabled".to_owned(), json!(true))),
            ("disabled", _) => drop(self.known.entry("disabled").or_insert_with(|| value.clone())),
            // OpenCode lists the program and its arguments.
            ("command", Value::Array(words)) => {
                let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
                let Some([command, args @ ..]) = words.as_deref() else { return self.put("command", value.clone()) };
                self.put("command", json!(command))?;
                self.put("args", json!(args))?;
            }
            ("env_vars", Value::Array(names)) if names.iter().all(Value::is_string) => {
                let names = names.iter().filter_map(Value::as_str);
                self.extend("env", names.map(|name| (name.to_owned(), variable(name))).collect());
            }
            ("env_http_headers", Value::Object(names)) if names.values().all(Value::is_string) => {
                let header =
                    |(name, variable_name): (&String, &Value)| Some((name.clone(), variable(variable_name.as_str()?)));
                self.extend("headers", names.iter().filter_map(header).collect());
            }
            ("bearer_token_env_var", Value::String(name)) => {
                let header = ("Authorization".to_owned(), json!(format!("Bearer ${{{name}}}")));
                self.extend("headers", Map::from_iter([header]));
            }
            ("scopes", Value::Array(_)) => self.extend("oauth", Map::from_iter([(key.to_owned(), value.clone())])),
            ("tools", _) => self.add_tools(value)?,
            _ if is_fixed(key, value) => {}
            _ => match (canonical_key(key), value) {
                (Some("timeout"), Value::Number(seconds)) if is_in_seconds(key) => {
                    self.put("timeout", json!(milliseconds(seconds.as_f64().unwrap_or_default())))?;
                }
                (Some(known @ ("env" | "headers" | "oauth")), Value::Object(pairs)) => {
                    self.extend(known, pairs.clone())
                }
                (Some(known), _) => self.put(known, value.clone())?,
                (None, _) => drop(self.unknown.insert(key.to_owned(), value.clone())),
            },
        }
        Ok(())
    }

    /// The tools of a server: a list of the only ones, or approvals by tool as Codex has them.
    fn add_tools(&mut self, value: &Value) -> Result<(), ServerError> {
        let mode = |tool: &Value| {
            let mode = tool.as_object().filter(|tool| tool.len() == 1)?.get("approval_mode")?.as_str()?.to_owned();
            matches!(mode.as_str(), "approve" | "prompt").then_some(mode)
        };
        match value {
            // Copilot CLI writes the filter of a server always, and `*` for all of its tools.
            Value::Array(tools) if *tools == ["*"] => Ok(()),
            Value::Array(_) => self.put("includeTools", value.clone()),
            Value::Object(tools) if tools.values().all(|tool| mode(tool).is_some()) => {
                for (key, wanted) in [("alwaysAllow", "approve"), (ASK_TOOLS, "prompt")] {
                    let names = tools.iter().filter(|(_, tool)| mode(tool).as_deref() == Some(wanted));
                    let names: Vec<&String> = names.map(|(name, _)| name).collect();
                    if !names.is_empty() {
                        self.put(key, json!(names))?;
                    }
                }
                Ok(())
            }
            _ => {
                self.unknown.insert("tools".to_owned(), value.clone());
                Ok(())
            }
        }
    }

    fn put(&mut self, key: &'static str, value: Value) -> Result<(), ServerError> {
        match self.known.get(key) {
            Some(other) if *other != value => Err(ServerError::DuplicateKey(key)),
            _ => {
                self.known.insert(key.to_owned(), value);
                Ok(())
            }
        }
    }

    /// Adds pairs to a map that a tool has under several keys.
    fn extend(&mut self, key: &str, pairs: Map<String, Value>) {
        if let Value::Object(existing) = self.known.entry(key).or_insert_with(|| json!({})) {
            existing.extend(pairs);
        }
    }
}

fn variable(name: &str) -> Value {
    json!(format!("${{{name}}}"))
}

/// The canon's name of a key of any tool.
pub fn canonical_key(key: &str) -> Option<&'static str> {
    let own = || SERVER_KEYS.into_iter().find(|known| *known == key);
    let alias = || ALIASES.iter().find(|(alias, _)| *alias == key).map(|(_, known)| *known);
    own().or_else(alias).or_else(|| forms().find_map(|form| key_of_form(form, key)))
}

fn forms() -> impl Iterator<Item = &'static JsonServers> {
    TOOLS.iter().filter_map(|row| match &row.mcp.as_ref()?.format {
        McpFormat::Json(form) => Some(form),
        McpFormat::OpenCode | McpFormat::CodexToml => None,
    })
}

fn key_of_form(form: &JsonServers, key: &str) -> Option<&'static str> {
    let transport = match form.transport {
        TransportKey::None => None,
        TransportKey::Remote(key) | TransportKey::Every(key) => Some(key),
    };
    let time = match form.timeout {
        TimeLimit::None => None,
        TimeLimit::Milliseconds(key, _) | TimeLimit::WholeSeconds(key) => Some(key),
    };
    let mut keys = vec![
        (Some(form.http_url_key), "url"),
        (form.sse_url_key, "url"),
        (transport, "type"),
        (form.cwd, "cwd"),
        (time, "timeout"),
        (form.always_allow, "alwaysAllow"),
    ];
    if let ToolFilters::Keys { include, exclude } = form.filters {
        keys.extend([(include, "includeTools"), (exclude, "excludeTools")]);
    }
    keys.into_iter().find(|(own, _)| *own == Some(key)).map(|(_, known)| known)
}

/// Whether every server of a tool has this key with this value.
fn is_fixed(key: &str, value: &Value) -> bool {
    forms().filter_map(|form| form.fixed).any(|(fixed, text)| key == fixed && value == text)
}

fn is_in_seconds(key: &str) -> bool {
    let is_of = |form: &JsonServers| matches!(form.timeout, TimeLimit::WholeSeconds(own) if own == key);
    key == "tool_timeout_sec" || forms().any(is_of)
}

/// Adds the type of a server that its tool infers from the key of the URL: Qwen Code's `url` is SSE, its `httpUrl` HTTP.
pub fn add_inferred_type(format: &McpFormat, server: &mut Value) {
    let McpFormat::Json(form) = format else { return };
    let Some(keys) = server.as_object_mut() else { return };
    let is_sse = |key: &str| key != form.http_url_key && keys.contains_key(key);
    if form.transport == TransportKey::None && form.sse_url_key.is_some_and(is_sse) {
        keys.entry("type").or_insert_with(|| json!("sse"));
    }
}

/// A time limit in whole milliseconds. A negative one, which means no limit in Antigravity, becomes invalid.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1000.0).round().max(0.0) as u64
}

/// Whether an unknown key may limit a server. Such a key is never left out alone: without it, the server could do more.
pub(super) fn may_restrict(key: &str) -> bool {
    let folded = key.to_ascii_lowercase();
    RESTRICTING_WORDS.iter().any(|word| folded.contains(word))
}

/// Whether a type of a server with a URL means streamable HTTP; OpenCode and ruler have one type for all of them.
pub(super) fn is_http_type(kind: &str) -> bool {
    matches!(kind, "http" | "streamable-http" | "streamableHttp" | "streamable_http" | "remote")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tools_have_one_meaning() {
        for (key, want) in [
            ("enabled_tools", Some("includeTools")),
            ("disabledTools", Some("excludeTools")),
            ("autoApprove", Some("alwaysAllow")),
            ("timeout", Some("timeout")),
            ("timeoutMs", Some("timeout")),
            ("timeoutSeconds", Some("timeout")),
            ("working_directory", Some("cwd")),
            ("serverUrl", Some("url")),
            ("startup_timeout_sec", None),
        ] {
            assert_eq!(canonical_key(key), want, "{key}");
        }
        assert!(is_in_seconds("timeoutSeconds") && !is_in_seconds("timeout") && !is_in_seconds("timeoutMs"));
        for form in forms() {
            let meanings = SERVER_KEYS.iter().filter_map(|key| Some((*key, key_of_form(form, key)?)));
            assert!(meanings.clone().all(|(key, meaning)| key == meaning), "{:?}", meanings.collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_misspelled_filter_counts_as_a_restriction() {
        for key in ["exludeTools", "tools", "default_tools_approval_mode", "enabled", "readOnly", "sandbox_mode"] {
            assert!(may_restrict(key), "{key}");
        }
        for key in ["alwaysLoad", "description", "startup_timeout_sec", "comand", "envFile"] {
            assert!(!may_restrict(key), "{key}");
        }
    }
}
