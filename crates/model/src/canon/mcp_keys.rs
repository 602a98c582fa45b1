//! The keys of an MCP server in the canon, and the names that tools have for them.

/// The keys that the canon knows.
pub const SERVER_KEYS: [&str; 14] = [
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

/// Whether a type of a server with a URL means streamable HTTP; OpenCode and ruler have one type for all of them.
pub fn is_http_type(kind: &str) -> bool {
    matches!(kind, "http" | "streamable-http" | "streamableHttp" | "streamable_http" | "remote")
}

/// Names of tools for keys of the canon with the same meaning and unit.
const ALIASES: [(&str, &str); 5] = [
    ("enabledTools", "includeTools"),
    ("enabled_tools", "includeTools"),
    ("disabledTools", "excludeTools"),
    ("disabled_tools", "excludeTools"),
    ("autoApprove", "alwaysAllow"),
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

/// The canon's name of a key; `None` if the canon has no such key.
pub fn canonical_key(key: &str) -> Option<&'static str> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == key).map(|(_, key)| *key);
    alias.or_else(|| SERVER_KEYS.into_iter().find(|known| *known == key))
}

/// Whether an unknown key may limit a server. Such a key is never left out alone: without it, the server could do more.
pub fn may_restrict(key: &str) -> bool {
    let folded = key.to_ascii_lowercase();
    RESTRICTING_WORDS.iter().any(|word| folded.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tools_have_one_meaning() {
        assert_eq!(canonical_key("enabled_tools"), Some("includeTools"));
        assert_eq!(canonical_key("timeout"), Some("timeout"));
        assert_eq!(canonical_key("timeoutSeconds"), None);
        assert!(ALIASES.iter().all(|(alias, key)| !SERVER_KEYS.contains(alias) && SERVER_KEYS.contains(key)));
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
