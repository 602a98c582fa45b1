//! Permissions of OpenCode in the form of version 1, which version 2 reads as well, while 1.18.33 does not start with the
//! form of version 2. The last rule that matches a call decides. <https://opencode.ai/v1/docs/permissions/>

use super::entry::{EntryMeaning, ModeSetting, ToolPermissions, server_tool};
use canonry_model::canon::permissions::{DefaultMode, PermissionSubject, Verdict};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// A rule: the action of a tool, and what it is applied to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OpenCodeRule {
    pub action: String,
    /// A pattern in which `*` also matches `/`.
    pub resource: String,
}

impl OpenCodeRule {
    fn new(action: impl Into<String>, resource: impl Into<String>) -> Self {
        Self { action: action.into(), resource: resource.into() }
    }
}

/// Content of the list besides the entries of the page.
pub(super) struct OpenCodeBase<'a> {
    pub mode: Option<DefaultMode>,
    /// The MCP servers of the tool.
    pub servers: &'a BTreeSet<String>,
    /// The page lists all hosts that an agent may read from.
    pub lists_hosts: bool,
}

/// The rules by action, with the strictest decisions last; empty if there is nothing to say.
pub(super) fn rules(decisions: &[(Verdict, PermissionSubject)], base: &OpenCodeBase<'_>) -> Map<String, Value> {
    let mut found = Map::new();
    for asked in asked(base, decisions) {
        put(&mut found, Verdict::Ask, asked);
    }
    for effect in [Verdict::Allow, Verdict::Ask, Verdict::Deny] {
        for (_, subject) in decisions.iter().filter(|(decision, _)| *decision == effect) {
            for rule in opencode_rules(effect, subject) {
                put(&mut found, effect, rule);
            }
        }
    }
    found
}

/// Adds a rule after all others that match the same calls.
fn put(found: &mut Map<String, Value>, effect: Verdict, OpenCodeRule { action, resource }: OpenCodeRule) {
    let effect = json!(effect.as_str());
    // It takes one word for this action, and patterns for the others.
    if action == "webfetch" {
        found.insert(action, effect);
        return;
    }
    let mut resources = match found.get(&action) {
        Some(Value::Object(resources)) => resources.clone(),
        _ => Map::new(),
    };
    resources.shift_remove(&resource);
    resources.insert(resource, effect);
    // Actions may be patterns too, such as those for all tools of a server.
    found.shift_remove(&action);
    found.insert(action, Value::Object(resources));
}

/// Permissions that ask by the mode, and every fetch if some hosts are restricted: OpenCode has no rules for hosts.
/// Without a rule, it allows everything in the project.
fn asked(base: &OpenCodeBase<'_>, decisions: &[(Verdict, PermissionSubject)]) -> Vec<OpenCodeRule> {
    let (actions, asks_servers): (&[&str], bool) = match base.mode {
        Some(DefaultMode::Default | DefaultMode::Plan) => (&["edit", "bash", "webfetch"], true),
        Some(DefaultMode::AcceptEdits) => (&["bash", "webfetch"], true),
        Some(DefaultMode::DontAsk | DefaultMode::BypassPermissions) | None => (&[], false),
    };
    let is_restriction = |(decision, subject): &(Verdict, PermissionSubject)| {
        *decision != Verdict::Allow && matches!(subject, PermissionSubject::Domain(_))
    };
    let fetches = (base.lists_hosts || decisions.iter().any(is_restriction)).then_some("webfetch");
    let servers = base.servers.iter().filter(|_| asks_servers);
    let servers = servers.map(|server| OpenCodeRule::new(format!("{}_*", plain(server)), "*"));
    actions.iter().copied().chain(fetches).map(|action| OpenCodeRule::new(action, "*")).chain(servers).collect()
}

/// The rules for an entry; none if the tool cannot express it, or only allow more than it says.
pub(super) fn opencode_rules(decision: Verdict, subject: &PermissionSubject) -> Vec<OpenCodeRule> {
    let is_allowed = decision == Verdict::Allow;
    match subject {
        PermissionSubject::Command(words) if is_allowed && words.iter().any(|word| has_wildcard(word)) => Vec::new(),
        // Also matches the command without arguments.
        PermissionSubject::Command(words) => vec![OpenCodeRule::new("bash", format!("{} *", words.join(" ")))],
        PermissionSubject::Read(pattern) => of_each("read", paths(decision, pattern)),
        PermissionSubject::Edit(pattern) => of_each("edit", paths(decision, pattern)),
        PermissionSubject::Mcp { server, tool } => {
            let tool = tool.as_deref().map_or("*".to_owned(), plain);
            vec![OpenCodeRule::new(format!("{}_{tool}", plain(server)), "*")]
        }
        // Every fetch is asked about.
        PermissionSubject::Domain(_) if decision == Verdict::Ask => vec![OpenCodeRule::new("webfetch", "*")],
        PermissionSubject::Domain(_) => Vec::new(),
        // These depend on more than the start of a command.
        PermissionSubject::Flag(_) | PermissionSubject::Push(_) | PermissionSubject::Action(_) => Vec::new(),
    }
}

fn of_each(action: &str, resources: Vec<String>) -> Vec<OpenCodeRule> {
    resources.into_iter().map(|resource| OpenCodeRule::new(action, resource)).collect()
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// The name of a server or a tool in an action.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' }).collect()
}

/// Patterns over whole paths. A `*` matches more than in the canon, which is right for a restriction only.
fn paths(decision: Verdict, pattern: &str) -> Vec<String> {
    let path = pattern.trim_start_matches("./");
    if path == "**" {
        return vec!["*".to_owned()];
    }
    let folder = path.strip_suffix("/**").or_else(|| path.strip_suffix('/'));
    let below = path.strip_prefix("**/");
    let is_at_any_depth = below.is_some() || !path.trim_end_matches('/').contains('/');
    let stem = folder.unwrap_or(path);
    let stem = stem.strip_prefix("**/").unwrap_or(stem);
    let ends_only = stem.strip_prefix('*').is_some_and(|end| !has_wildcard(end) && !end.contains('/'));
    let is_exact = !has_wildcard(stem) || (is_at_any_depth && folder.is_none() && ends_only);
    // Sets and alternatives have no form.
    if stem.contains(['[', '{', '\\']) || (decision == Verdict::Allow && !is_exact) {
        return Vec::new();
    }
    let may_be_folder = decision != Verdict::Allow && !stem.rsplit('/').next().is_some_and(has_wildcard);
    let stem = stem.replace("**/", "*").replace("**", "*");
    let starts: &[&str] = if is_at_any_depth && !stem.starts_with('*') { &["", "*/"] } else { &[""] };
    let ends: &[&str] = match folder {
        Some(_) => &["/*"],
        None if may_be_folder => &["", "/*"],
        None => &[""],
    };
    starts
        .iter()
        .flat_map(|start| ends.iter().map(move |end| (start, end)))
        .map(|(start, end)| format!("{start}{stem}{end}"))
        .collect()
}

/// A rule as the settings have it.
#[derive(Debug)]
struct WrittenRule {
    effect: Verdict,
    rule: OpenCodeRule,
}

impl WrittenRule {
    /// Whether it decides all calls of an action that no other rule decides.
    fn is_base(&self) -> bool {
        self.rule.resource == "*" && matches!(self.rule.action.as_str(), "*" | "bash" | "edit" | "read" | "webfetch")
    }

    fn as_written(&self) -> String {
        let OpenCodeRule { action, resource } = &self.rule;
        if resource == "*" { action.clone() } else { format!("{action}: {resource}") }
    }

    /// Whether it applies to every call that another rule applies to.
    fn covers(&self, other: &Self) -> bool {
        let resource = &self.rule.resource;
        let is_command = resource.strip_suffix(" *") == Some(other.rule.resource.as_str());
        matches(&self.rule.action, &other.rule.action) && (is_command || matches(resource, &other.rule.resource))
    }
}

/// Whether a pattern matches a text. A `?` only matches itself, so that too little is taken for covered.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|start| text.strip_prefix(start)) else { return false };
    let Some(end) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(end)
}

/// Parses the settings. In the canon the strictest entry decides, not the last one, so an exception from a stricter rule has
/// no form there.
pub(super) fn parse(settings: &Value) -> ToolPermissions {
    let mut found = ToolPermissions::default();
    if settings.get("permissions").is_some() {
        found.add_setting("permissions".to_owned());
    }
    let rules = written_rules(settings.get("permission"), &mut found);
    let is_dead = |at: usize| rules[at + 1..].iter().any(|later| later.covers(&rules[at]));
    let rules: Vec<&WrittenRule> = (0..rules.len()).filter(|at| !is_dead(*at)).map(|at| &rules[at]).collect();
    let is_exception = |at: usize| {
        let is_stricter = |rule: &WrittenRule| !rule.is_base() && rule.effect > rules[at].effect;
        rules[..at].iter().any(|rule| is_stricter(rule) && rule.covers(rules[at]))
    };
    let has_exceptions = |base: &WrittenRule| rules.iter().any(|rule| rule.effect < base.effect && base.covers(rule));
    let mut paths: Vec<&WrittenRule> = Vec::new();
    for (at, rule) in rules.iter().enumerate() {
        let OpenCodeRule { action, resource } = &rule.rule;
        match action.as_str() {
            // Everything that the canon does not list requires approval.
            _ if rule.is_base() && rule.effect == Verdict::Ask => {}
            _ if is_exception(at) || rule.is_base() && has_exceptions(rule) => {
                found.add(rule.effect, None, &rule.as_written());
            }
            "read" | "edit" => paths.push(rule),
            "bash" => found.add(rule.effect, command(rule.effect, resource), &rule.as_written()),
            _ => {
                let tool = server_of(settings, action).filter(|_| resource == "*");
                found.add(rule.effect, tool.map(EntryMeaning::Subject), &rule.as_written());
            }
        }
    }
    for rule in &paths {
        let has = |resource: &str| {
            let is_it = |other: &&&WrittenRule| other.effect == rule.effect && other.rule.action == rule.rule.action;
            paths.iter().filter(is_it).any(|other| other.rule.resource == resource)
        };
        if !is_part(rule, &has) {
            found.add(rule.effect, path(rule, &has), &rule.as_written());
        }
    }
    let asks = |action: &str| {
        let is_it = |rule: &&&WrittenRule| rule.is_base() && matches(&rule.rule.action, action);
        rules.iter().rfind(is_it).is_some_and(|rule| rule.effect == Verdict::Ask)
    };
    found.mode = ["edit", "bash", "webfetch"]
        .into_iter()
        .all(asks)
        .then(|| ModeSetting { mode: Some(DefaultMode::Default), as_written: "permission".to_owned() });
    found
}

/// The rules in file order. A word stands for all resources of an action, or for all actions.
fn written_rules(permission: Option<&Value>, found: &mut ToolPermissions) -> Vec<WrittenRule> {
    let all = |word: &Value| Map::from_iter([("*".to_owned(), word.clone())]);
    let actions = match permission {
        None => return Vec::new(),
        Some(Value::Object(actions)) => actions.clone(),
        Some(word) => all(word),
    };
    let mut rules = Vec::new();
    for (action, value) in actions {
        let resources = value.as_object().cloned().unwrap_or_else(|| all(&value));
        for (resource, word) in resources {
            match word.as_str().and_then(Verdict::from_word) {
                Some(effect) => rules.push(WrittenRule { effect, rule: OpenCodeRule::new(action.as_str(), resource) }),
                None => found.add_setting(format!("{action}: {resource}: {word}")),
            }
        }
    }
    rules
}

/// A pattern of commands. It matches a whole command, and `git *` also `git` alone.
fn command(effect: Verdict, pattern: &str) -> Option<EntryMeaning> {
    if let Some(words) = pattern.strip_suffix(" *").filter(|words| effect != Verdict::Allow || !has_wildcard(words)) {
        return Some(EntryMeaning::Prefix(words.to_owned()));
    }
    match pattern.strip_suffix('*') {
        Some(start) => (!has_wildcard(start) && !start.is_empty()).then(|| EntryMeaning::Text(start.to_owned())),
        None => (!has_wildcard(pattern)).then(|| EntryMeaning::Exact(pattern.to_owned())),
    }
}

/// The tools of a server in the settings that an action names. Where the server's name ends is otherwise unknown.
fn server_of(settings: &Value, action: &str) -> Option<PermissionSubject> {
    let mcp = settings.get("mcp")?;
    let names = [Some(mcp), mcp.get("servers")].into_iter().flatten().filter_map(Value::as_object).flat_map(Map::keys);
    let tools = names.filter_map(|name| Some((name, action.strip_prefix(&plain(name))?.strip_prefix('_')?)));
    let (server, tool) = tools.max_by_key(|(name, _)| name.len())?;
    (tool == "*" || !has_wildcard(tool)).then(|| server_tool(server, tool))
}

/// The folder in a pattern for everything below it.
fn folder(resource: &str) -> Option<&str> {
    resource.strip_suffix("/*").filter(|folder| *folder != "*")
}

/// Whether a pattern of files is one of several that [`paths`] writes, and not the first. `has` says whether there is another
/// pattern with the same effect.
fn is_part(rule: &WrittenRule, has: &dyn Fn(&str) -> bool) -> bool {
    let resource = rule.rule.resource.as_str();
    if resource.strip_prefix("*/").is_some_and(has) {
        return true;
    }
    let Some(folder) = folder(resource) else { return false };
    let stem = folder.strip_prefix("*/").unwrap_or(folder);
    // The canon's entry for a path restricts what is below it, too. One for a name at the top alone is only denied.
    match rule.effect {
        Verdict::Deny => has(folder) || has(stem),
        Verdict::Ask => has(stem) && (stem.contains('/') || has(&format!("*/{stem}"))),
        Verdict::Allow | Verdict::Unlisted => false,
    }
}

/// The meaning of a pattern of files, together with the others that [`paths`] writes.
fn path(rule: &WrittenRule, has: &dyn Fn(&str) -> bool) -> Option<EntryMeaning> {
    let resource = rule.rule.resource.as_str();
    let folder = folder(resource);
    let subject = |pattern: String| {
        if rule.rule.action == "read" { PermissionSubject::Read(pattern) } else { PermissionSubject::Edit(pattern) }
    };
    let stem = folder.unwrap_or(resource);
    let (stem, is_deep_alone) = stem.strip_prefix("*/").map_or((stem, false), |stem| (stem, true));
    let is_deep = is_deep_alone || has(&format!("*/{resource}"));
    let is_name = !stem.contains('/');
    let pattern = match stem.split('*').collect::<Vec<_>>().as_slice() {
        _ if stem.contains(['?', '[', '{', '\\']) => return None,
        ["", ""] => "**".to_owned(),
        // `*` also matches `/`.
        ["", _] | ["", _, ""] if is_name && folder.is_none() => stem.to_owned(),
        [_, ""] if is_name && folder.is_none() => stem.to_owned(),
        [start, end] if start.ends_with('/') && !end.contains('/') && folder.is_none() && !is_deep => {
            format!("{start}**/*{end}")
        }
        [_] if folder.is_some() && is_name && is_deep => format!("{stem}/"),
        [_] => {
            let start = if is_deep && !is_name { "**/" } else { "" };
            let end = if folder.is_some() { "/**" } else { "" };
            format!("{start}{stem}{end}")
        }
        _ => return None,
    };
    let subject = subject(pattern);
    let is_at_top = is_name && folder.is_none() && !is_deep && !stem.starts_with('*');
    if is_deep_alone {
        return (rule.effect == Verdict::Deny).then_some(EntryMeaning::AtTop(subject));
    }
    Some(if is_at_top { EntryMeaning::AtTop(subject) } else { EntryMeaning::Subject(subject) })
}

#[cfg(test)]
mod tests {
    use super::super::entry::ToolEntry;
    use super::*;

    fn shown(decision: Verdict, subject: &PermissionSubject) -> String {
        let rules = opencode_rules(decision, subject);
        rules.iter().map(|rule| format!("{} {}", rule.action, rule.resource)).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn an_entry_becomes_rules_that_allow_no_more() {
        let allow = Verdict::Allow;
        let deny = Verdict::Deny;
        let read = |pattern: &str| PermissionSubject::Read(pattern.to_owned());
        let edit = |pattern: &str| PermissionSubject::Edit(pattern.to_owned());
        let command = |text: &str| PermissionSubject::Command(text.split(' ').map(str::to_owned).collect());
        let host = |name: &str| PermissionSubject::Domain(name.to_owned());
        for (decision, subject, want) in [
            (allow, command("git status"), "bash git status *"),
            (deny, command("rm a*"), "bash rm a* *"),
            (allow, command("rm a*"), ""),
            (deny, edit("**"), "edit *"),
            (deny, edit("src/**"), "edit src/*"),
            (allow, edit("src/**"), "edit src/*"),
            (allow, edit("src/*.rs"), ""),
            (deny, edit("src/*.rs"), "edit src/*.rs"),
            (allow, edit("*.md"), "edit *.md"),
            (allow, edit("**/*.md"), "edit *.md"),
            (deny, edit("a/**/b"), "edit a/*b, edit a/*b/*"),
            (deny, read(".env*"), "read .env*, read */.env*"),
            (allow, read(".env*"), ""),
            (deny, read("keys/"), "read keys/*, read */keys/*"),
            (deny, edit("Cargo.lock"), "edit Cargo.lock, edit Cargo.lock/*, edit */Cargo.lock, edit */Cargo.lock/*"),
            (allow, edit("./docs/a.md"), "edit docs/a.md"),
            (deny, read("~/.ssh/**"), "read ~/.ssh/*"),
            (deny, edit("**/*.{ts,js}"), ""),
            (deny, host("a.b"), ""),
            (Verdict::Ask, host("a.b"), "webfetch *"),
            (allow, host("a.b"), ""),
            (deny, PermissionSubject::Mcp { server: "git.hub".into(), tool: Some("rm".into()) }, "git_hub_rm *"),
            (deny, PermissionSubject::Mcp { server: "db".into(), tool: None }, "db_* *"),
            (deny, PermissionSubject::Flag("--force".into()), ""),
        ] {
            assert_eq!(shown(decision, &subject), want, "{decision:?} {subject:?}");
        }
    }

    #[test]
    fn nothing_that_is_read_allows_more() {
        for (settings, want) in [
            (r#"{"permission": "ask"}"#, "mode"),
            (r#"{"permission": "allow"}"#, "allow lost *"),
            (r#"{"permission": {"bash": "ask", "edit": "ask", "webfetch": "ask"}}"#, "mode"),
            (
                r#"{"permission": {"edit": "ask", "bash": {"*": "deny", "git log *": "allow"}}}"#,
                "deny lost bash, allow git log",
            ),
            (
                r#"{"permission": {"bash": {"npm run build": "allow", "npm i*": "ask", "rm a* *": "deny"}}}"#,
                "allow =npm run build, ask ~npm i, deny rm a*",
            ),
            (
                r#"{"permission": {"bash": {"git * --force": "allow", "ls ?": "deny"}}}"#,
                "allow lost bash: git * --force, deny lost bash: ls ?",
            ),
            // The last rule decides, and a stricter one before it would in the canon.
            (r#"{"permission": {"bash": {"rm *": "deny", "*": "allow"}}}"#, "allow lost bash"),
            (
                r#"{"permission": {"bash": {"rm *": "deny", "rm tmp *": "allow"}}}"#,
                "deny rm, allow lost bash: rm tmp *",
            ),
            (r#"{"permission": {"bash": "allow", "*": "deny"}}"#, "deny lost *"),
            (r#"{"permission": {"edit": "deny"}}"#, "deny Edit(**)"),
            (r#"{"permission": {"edit": {"*": "deny", "docs/*": "allow"}}}"#, "deny lost edit, allow Edit(docs/**)"),
            (
                r#"{"permission": {"read": {"*": "allow", ".env": "deny", "*.key": "deny"}}}"#,
                "allow Read(**), deny top Read(.env), deny Read(*.key)",
            ),
            (r#"{"permission": {"read": {"keys/*": "deny", "*/keys/*": "deny"}}}"#, "deny Read(keys/)"),
            (
                r#"{"permission": {"read": {"*/keys/*": "deny"}, "edit": {"*/keys/*": "allow"}}}"#,
                "deny top Read(keys/), allow lost edit: */keys/*",
            ),
            (
                r#"{"permission": {"edit": {"src/*.rs": "deny", "a*b/c": "deny"}}}"#,
                "deny Edit(src/**/*.rs), deny lost edit: a*b/c",
            ),
            (
                r#"{"permission": {"edit": {"dist": "ask", "dist/*": "ask", "a/b": "ask", "a/b/*": "ask"}}}"#,
                "ask top Edit(dist), ask Edit(dist/**), ask Edit(a/b)",
            ),
            (
                r#"{"permission": {"webfetch": "deny", "task": {"x": "allow"}}}"#,
                "deny lost webfetch, allow lost task: x",
            ),
            (
                r#"{"mcp": {"my.db": {}}, "permission": {"my_db_*": "ask", "my_db_drop": "deny", "other_x": "allow"}}"#,
                "ask my.db/*, deny my.db/drop, allow lost other_x",
            ),
            (
                r#"{"permission": {"bash": {"ls *": "sometimes"}}, "permissions": []}"#,
                "lost permissions, lost bash: ls *: \"sometimes\"",
            ),
        ] {
            let found = parse(&serde_json::from_str(settings).unwrap());
            let shown = |entry: &ToolEntry| {
                let decision = entry.decision.map(|decision| format!("{} ", decision.as_str())).unwrap_or_default();
                let meaning = match &entry.meaning {
                    None => format!("lost {}", entry.as_written),
                    Some(EntryMeaning::Prefix(words)) => words.clone(),
                    Some(EntryMeaning::Text(text)) => format!("~{text}"),
                    Some(EntryMeaning::Exact(text)) => format!("={text}"),
                    Some(EntryMeaning::AtTop(subject)) => format!("top {}", name(subject)),
                    Some(EntryMeaning::Subject(subject) | EntryMeaning::SomeEdits(subject)) => name(subject),
                };
                decision + &meaning
            };
            let mode = found.mode.map(|_| "mode".to_owned());
            let all: Vec<String> = found.entries.iter().map(shown).chain(mode).collect();
            assert_eq!(all.join(", "), want, "{settings}");
        }
    }

    fn name(subject: &PermissionSubject) -> String {
        match subject {
            PermissionSubject::Read(pattern) => format!("Read({pattern})"),
            PermissionSubject::Edit(pattern) => format!("Edit({pattern})"),
            PermissionSubject::Mcp { server, tool } => format!("{server}/{}", tool.as_deref().unwrap_or("*")),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn the_strictest_rule_is_the_last() {
        let command = |text: &str| PermissionSubject::Command(vec![text.to_owned()]);
        let tool = |tool: Option<&str>| PermissionSubject::Mcp { server: "db".into(), tool: tool.map(str::to_owned) };
        let decisions = [
            (Verdict::Deny, command("rm")),
            (Verdict::Deny, tool(None)),
            (Verdict::Ask, command("git")),
            (Verdict::Allow, tool(Some("list"))),
            (Verdict::Allow, command("ls")),
        ];
        let servers = BTreeSet::from(["db".to_owned()]);
        let base = OpenCodeBase { mode: Some(DefaultMode::AcceptEdits), servers: &servers, lists_hosts: true };
        let found = Value::Object(rules(&decisions, &base)).to_string();
        let want = concat!(
            r#"{"webfetch":"ask","db_list":{"*":"allow"},"bash":{"*":"ask","ls *":"allow","git *":"ask","rm *":"deny"},"#,
            r#""db_*":{"*":"deny"}}"#
        );
        assert_eq!(found, want);
        let none = OpenCodeBase { mode: None, servers: &servers, lists_hosts: false };
        assert!(rules(&[], &none).is_empty());
        let host = [(Verdict::Deny, PermissionSubject::Domain("a.b".to_owned()))];
        assert_eq!(Value::Object(rules(&host, &none)).to_string(), r#"{"webfetch":"ask"}"#);
    }
}
