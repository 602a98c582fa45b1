//! The permissions of OpenCode: an ordered list in version 2, an object of tools in version 1. The last rule that matches
//! decides, while in the canon the strictest entry does.

use super::formats::{FormatError, parse_object};
use super::permission_entries::AgentEntry;
use super::permissions::Permissions;
use canonry_model::canon::permissions::{DefaultMode, PermissionSubject, Verdict};
use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq, Eq)]
struct OpenCodePermission {
    /// In the names of version 2.
    action: String,
    resource: String,
    effect: Verdict,
}

/// Reads both forms.
///
/// # Errors
/// The text is not an object.
pub(super) fn read(text: &str, permissions: &mut Permissions) -> Result<(), FormatError> {
    let settings = parse_object(text)?;
    let rules = rules(&settings, permissions);
    let servers = server_names(&settings);
    match settings.get("default_agent").and_then(Value::as_str) {
        Some("plan") => permissions.set_mode(Some(DefaultMode::Plan), ""),
        _ => set_mode(&rules, permissions),
    }
    for (at, rule) in rules.iter().enumerate() {
        let before = &rules[..at];
        let after = &rules[at + 1..];
        let is_replaced = after.iter().any(|later| later.covers(rule));
        // Without a rule, OpenCode allows everything in the project.
        let is_default = rule.effect == Verdict::Allow
            && (rule.resource == "*" || !rule.is_translated(&servers))
            && !before.iter().any(|earlier| earlier.covers(rule) && earlier.effect > rule.effect);
        if is_replaced || is_default || rule.is_asked_by_mode() {
            continue;
        }
        let is_exception = before
            .iter()
            .any(|earlier| earlier.covers(rule) && earlier.effect > rule.effect && !earlier.is_asked_by_mode());
        let has_exceptions =
            rule.resource == "*" && after.iter().any(|later| rule.covers(later) && later.effect < rule.effect);
        match rule.entry(&servers).filter(|_| !is_exception && !has_exceptions) {
            Some(entry) => permissions.add_entry(rule.effect, Some(entry), &rule.to_string()),
            None => permissions.lose(rule.effect, &rule.to_string()),
        }
    }
    Ok(())
}

/// Takes the rules that ask about everything as the mode in which agents start.
fn set_mode(rules: &[OpenCodePermission], permissions: &mut Permissions) {
    let asks = |action: &str| {
        rules.iter().any(|rule| rule.is_asked_by_mode() && (rule.action == action || rule.action == "*"))
    };
    // Nobody is asked about what is denied.
    let denies_edits = rules.iter().any(|rule| {
        rule.effect == Verdict::Deny && rule.resource == "*" && matches!(rule.action.as_str(), "edit" | "*")
    });
    match (asks("edit") || denies_edits, asks("shell")) {
        (true, true) => permissions.set_mode(Some(DefaultMode::Default), ""),
        (false, true) => permissions.lose(Verdict::Ask, "shell *: ask"),
        (true, false) if asks("edit") => permissions.lose(Verdict::Ask, "edit *: ask"),
        (_, false) if asks("webfetch") => permissions.lose(Verdict::Ask, "webfetch *: ask"),
        (true | false, false) => {}
    }
}

fn rules(settings: &Map<String, Value>, permissions: &mut Permissions) -> Vec<OpenCodePermission> {
    let mut found = Vec::new();
    let mut add = |action: &str, resource: &str, effect: &Value| match effect.as_str().and_then(Verdict::from_word) {
        Some(effect) => {
            found.push(OpenCodePermission { action: renamed(action).to_owned(), resource: resource.to_owned(), effect })
        }
        None => permissions.lose_setting(&format!("{action} {resource}: {effect}")),
    };
    for rule in settings.get("permissions").and_then(Value::as_array).into_iter().flatten() {
        let text = |key: &str| rule.get(key).and_then(Value::as_str).unwrap_or_default();
        add(text("action"), text("resource"), rule.get("effect").unwrap_or(&Value::Null));
    }
    match settings.get("permission") {
        Some(Value::Object(tools)) => {
            for (tool, given) in tools {
                match given {
                    Value::Object(patterns) => {
                        patterns.iter().for_each(|(pattern, effect)| add(tool, pattern, effect));
                    }
                    effect => add(tool, "*", effect),
                }
            }
        }
        Some(effect) => add("*", "*", effect),
        None => {}
    }
    found
}

/// The name that version 2 gave to an action of version 1.
fn renamed(action: &str) -> &str {
    match action {
        "bash" => "shell",
        "task" => "subagent",
        "write" | "patch" | "multiedit" => "edit",
        other => other,
    }
}

/// The names of the servers, in the form of an action.
fn server_names(settings: &Map<String, Value>) -> Vec<String> {
    let servers = settings.get("mcp").and_then(|mcp| mcp.get("servers").or(Some(mcp))).and_then(Value::as_object);
    servers.into_iter().flat_map(Map::keys).cloned().collect()
}

fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' }).collect()
}

impl std::fmt::Display for OpenCodePermission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}: {}", self.action, self.resource, self.effect.as_str())
    }
}

impl OpenCodePermission {
    /// Whether everything that the other rule matches, this one does too.
    fn covers(&self, other: &Self) -> bool {
        matches(&self.action, &other.action) && matches(&self.resource, &other.resource)
    }

    /// Whether a mode asks about all of this.
    fn is_asked_by_mode(&self) -> bool {
        let is_asked = matches!(self.action.as_str(), "*" | "edit" | "shell" | "webfetch");
        is_asked && self.resource == "*" && self.effect == Verdict::Ask
    }

    fn is_translated(&self, servers: &[String]) -> bool {
        self.entry(servers).is_some()
    }

    /// Meaning of the rule in the canon; `None` if the canon has no form for it.
    fn entry(&self, servers: &[String]) -> Option<AgentEntry> {
        let subject = |subject| Some(AgentEntry::Subject(subject));
        match self.action.as_str() {
            "shell" => command(&self.resource),
            "read" => file(&self.resource, PermissionSubject::Read),
            "edit" => file(&self.resource, PermissionSubject::Edit),
            "webfetch" => subject(PermissionSubject::Domain(host(&self.resource)?)),
            action if self.resource == "*" => subject(server_tool(action, servers)?),
            _ => None,
        }
    }
}

/// Whether a pattern with `*` and `?` matches a text, whose own wildcards are taken as they are written.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.chars().next() {
        None => text.is_empty(),
        Some('*') => {
            let rest = &pattern[1..];
            text.char_indices().map(|(at, _)| at).chain([text.len()]).any(|at| matches(rest, &text[at..]))
        }
        Some(wanted) => {
            let mut chars = text.chars();
            chars.next().is_some_and(|c| {
                (c == wanted || (wanted == '?' && c != '*')) && matches(&pattern[wanted.len_utf8()..], chars.as_str())
            })
        }
    }
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?'])
}

fn command(resource: &str) -> Option<AgentEntry> {
    match resource.strip_suffix(" *") {
        Some(words) if !has_wildcard(words) => Some(AgentEntry::Prefix(words.to_owned())),
        None if !has_wildcard(resource) => Some(AgentEntry::Exact(resource.to_owned())),
        _ => {
            let text = resource.strip_suffix('*').filter(|text| !has_wildcard(text))?;
            text.ends_with(|c: char| c.is_alphanumeric()).then(|| AgentEntry::Text(text.to_owned()))
        }
    }
}

/// A pattern over the whole path.
fn file(resource: &str, subject: fn(String) -> PermissionSubject) -> Option<AgentEntry> {
    let found = |pattern: String| Some(AgentEntry::Subject(subject(pattern)));
    let path = resource.strip_prefix("./").unwrap_or(resource);
    if path == "*" {
        return found("**".to_owned());
    }
    let (stem, is_folder) = match path.strip_suffix("/**").or_else(|| path.strip_suffix("/*")) {
        Some(stem) => (stem, true),
        None => (path, false),
    };
    let name = stem.strip_prefix("**/").or_else(|| stem.strip_prefix("*/"));
    match name {
        Some(name) if has_wildcard(name) || name.contains('/') => None,
        Some(name) if is_folder => found(format!("{name}/")),
        Some(name) => found(name.to_owned()),
        None if !has_wildcard(stem) && is_folder => found(format!("{stem}/**")),
        None if !has_wildcard(stem) && stem.contains('/') => found(stem.to_owned()),
        None if !has_wildcard(stem) => Some(AgentEntry::AtTop(subject(stem.to_owned()))),
        // The name of a file at any depth.
        None if stem.starts_with('*') && !stem.contains('/') && !is_folder => found(stem.to_owned()),
        None => None,
    }
}

/// The host of a pattern for all of its addresses.
fn host(resource: &str) -> Option<String> {
    let (scheme, rest) = resource.split_once("://")?;
    let host = rest.strip_suffix("/*").or_else(|| rest.strip_suffix("/**")).unwrap_or(rest);
    let is_host = !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    (matches!(scheme, "https" | "http" | "*" | "http*") && is_host).then(|| host.to_lowercase())
}

/// A tool of one of these servers. Where the server's name ends is otherwise unknown.
fn server_tool(action: &str, servers: &[String]) -> Option<PermissionSubject> {
    servers.iter().find_map(|server| {
        let tool = action.strip_prefix(&plain(server))?.strip_prefix('_')?;
        let is_known = tool == "*" || !has_wildcard(tool);
        let tool = (tool != "*").then(|| tool.to_owned());
        is_known.then(|| PermissionSubject::Mcp { server: server.clone(), tool })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(text: &str) -> String {
        let mut permissions = Permissions::default();
        read(text, &mut permissions).unwrap();
        permissions.shown()
    }

    #[test]
    fn reads_both_forms() {
        let version_2 = r#"{"mcp": {"servers": {"git.hub": {}}}, "permissions": [
            {"action": "*", "resource": "*", "effect": "allow"},
            {"action": "edit", "resource": "*", "effect": "ask"},
            {"action": "shell", "resource": "*", "effect": "ask"},
            {"action": "shell", "resource": "git status *", "effect": "allow"},
            {"action": "read", "resource": "*.env", "effect": "deny"},
            {"action": "read", "resource": "keys/*", "effect": "deny"},
            {"action": "git_hub_delete", "resource": "*", "effect": "deny"},
            {"action": "webfetch", "resource": "https://docs.rs/*", "effect": "allow"},
            {"action": "shell", "resource": "git push *", "effect": "deny"}]}"#;
        assert_eq!(
            imported(version_2),
            "mode default; allow git status; deny read *.env; deny read keys/**; deny mcp git.hub/delete; allow host docs.rs; \
             deny git push"
        );
        let version_1 = r#"{"permission": {"edit": "deny", "bash": {"*": "ask", "git *": "allow", "rm *": "deny"}, "webfetch": "ask"}}"#;
        assert_eq!(imported(version_1), "mode default; deny edit **; allow git; deny rm");
        assert_eq!(imported(r#"{"permission": "ask"}"#), "mode default");
        assert_eq!(imported(r#"{"permission": "allow"}"#), "");
    }

    #[test]
    fn an_exception_from_a_stricter_rule_is_lost() {
        let text = r#"{"permission": {"bash": {"rm *": "deny", "rm -i *": "allow"}, "edit": {"*": "deny", "docs/*": "allow"},
            "skill": {"x": "deny"}}}"#;
        assert_eq!(
            imported(text),
            "deny rm; lost `shell rm -i *: allow`, `edit *: deny`, `edit docs/*: allow`, `skill x: deny`"
        );
        // The later rule replaces the earlier one.
        let replaced = r#"{"permissions": [{"action": "shell", "resource": "rm *", "effect": "deny"},
            {"action": "shell", "resource": "*", "effect": "ask"}]}"#;
        assert_eq!(imported(replaced), "lost `shell *: ask`");
    }

    #[test]
    fn a_pattern_covers_what_it_matches() {
        for (pattern, text, want) in [
            ("*", "a/*", true),
            ("git *", "git push *", true),
            ("git push *", "git *", false),
            ("a?", "ab", true),
            ("a?", "a*", false),
        ] {
            assert_eq!(matches(pattern, text), want, "{pattern} {text}");
        }
    }
}
