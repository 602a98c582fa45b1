//! Permissions of OpenCode in the form of version 1, which version 2 reads as well, while 1.18.33 does not start with the
//! form of version 2. The last rule that matches a call decides. <https://opencode.ai/v1/docs/permissions/>

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

#[cfg(test)]
mod tests {
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
