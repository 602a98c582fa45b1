//! Permissions of OpenCode: one ordered list, in which the last rule that matches a call decides.
//! <https://opencode.ai/v2/docs/permissions>

use crate::canon::permissions::{Decision, DefaultMode, PermissionSubject};
use serde_json::{Value, json};
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

/// What the list says besides the entries of the page.
pub(super) struct OpenCodeBase<'a> {
    pub mode: Option<DefaultMode>,
    /// The MCP servers of the tool.
    pub servers: &'a BTreeSet<String>,
    /// The page lists all hosts that an agent may read from.
    pub lists_hosts: bool,
}

/// The list, with the strictest decisions last; empty if there is nothing to say.
pub(super) fn rules(decisions: &[(Decision, PermissionSubject)], base: &OpenCodeBase<'_>) -> Vec<Value> {
    let rule = |effect: Decision, OpenCodeRule { action, resource }| json!({"action": action, "resource": resource, "effect": effect_of(effect)});
    let mut found: Vec<Value> = asked(base).into_iter().map(|asked| rule(Decision::Ask, asked)).collect();
    if base.lists_hosts {
        found.push(rule(Decision::Deny, OpenCodeRule::new("webfetch", "*")));
    }
    for effect in [Decision::Allow, Decision::Ask, Decision::Deny] {
        for (_, subject) in decisions.iter().filter(|(decision, _)| *decision == effect) {
            found.extend(opencode_rules(effect, subject).into_iter().map(|entry| rule(effect, entry)));
        }
    }
    found
}

pub(super) fn effect_of(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allow",
        Decision::Ask => "ask",
        Decision::Deny => "deny",
    }
}

/// What the mode asks about. Without a rule, OpenCode allows everything in the project.
fn asked(base: &OpenCodeBase<'_>) -> Vec<OpenCodeRule> {
    let actions: &[&str] = match base.mode {
        Some(DefaultMode::Default | DefaultMode::Plan) => &["edit", "shell", "webfetch"],
        Some(DefaultMode::AcceptEdits) => &["shell", "webfetch"],
        Some(DefaultMode::DontAsk | DefaultMode::BypassPermissions) | None => return Vec::new(),
    };
    let servers = base.servers.iter().map(|server| OpenCodeRule::new(format!("{}_*", plain(server)), "*"));
    actions.iter().map(|action| OpenCodeRule::new(*action, "*")).chain(servers).collect()
}

/// The rules for an entry; none if the tool cannot express it, or only allow more than it says.
pub(super) fn opencode_rules(decision: Decision, subject: &PermissionSubject) -> Vec<OpenCodeRule> {
    let is_allowed = decision == Decision::Allow;
    match subject {
        PermissionSubject::Command(words) if is_allowed && words.iter().any(|word| has_wildcard(word)) => Vec::new(),
        // Also matches the command without arguments.
        PermissionSubject::Command(words) => vec![OpenCodeRule::new("shell", format!("{} *", words.join(" ")))],
        PermissionSubject::Read(pattern) => of_each("read", paths(decision, pattern)),
        PermissionSubject::Edit(pattern) => of_each("edit", paths(decision, pattern)),
        PermissionSubject::Mcp { server, tool } => {
            let tool = tool.as_deref().map_or("*".to_owned(), plain);
            vec![OpenCodeRule::new(format!("{}_{tool}", plain(server)), "*")]
        }
        PermissionSubject::Domain(host) if is_allowed && has_wildcard(host) => Vec::new(),
        // A pattern that starts with `*` could match the path of another host's address.
        PermissionSubject::Domain(host) if is_allowed => of_each(
            "webfetch",
            ["https", "http"]
                .iter()
                .flat_map(|scheme| ["", "/*"].map(|end| format!("{scheme}://{host}{end}")))
                .collect(),
        ),
        PermissionSubject::Domain(host) => {
            of_each("webfetch", ["", "/*", ":*", "?*"].map(|end| format!("*://{host}{end}")).to_vec())
        }
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
fn paths(decision: Decision, pattern: &str) -> Vec<String> {
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
    if stem.contains(['[', '{', '\\']) || (decision == Decision::Allow && !is_exact) {
        return Vec::new();
    }
    let may_be_folder = decision != Decision::Allow && !stem.rsplit('/').next().is_some_and(has_wildcard);
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

    fn shown(decision: Decision, subject: &PermissionSubject) -> String {
        let rules = opencode_rules(decision, subject);
        rules.iter().map(|rule| format!("{} {}", rule.action, rule.resource)).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn an_entry_becomes_rules_that_allow_no_more() {
        let (allow, deny) = (Decision::Allow, Decision::Deny);
        let read = |pattern: &str| PermissionSubject::Read(pattern.to_owned());
        let edit = |pattern: &str| PermissionSubject::Edit(pattern.to_owned());
        let command = |text: &str| PermissionSubject::Command(text.split(' ').map(str::to_owned).collect());
        let host = |name: &str| PermissionSubject::Domain(name.to_owned());
        for (decision, subject, want) in [
            (allow, command("git status"), "shell git status *"),
            (deny, command("rm a*"), "shell rm a* *"),
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
            (deny, host("a.b"), "webfetch *://a.b, webfetch *://a.b/*, webfetch *://a.b:*, webfetch *://a.b?*"),
            (
                allow,
                host("a.b"),
                "webfetch https://a.b, webfetch https://a.b/*, webfetch http://a.b, webfetch http://a.b/*",
            ),
            (allow, host("*.b"), ""),
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
        let decisions =
            [(Decision::Deny, command("rm")), (Decision::Ask, command("git")), (Decision::Allow, command("ls"))];
        let servers = BTreeSet::from(["db".to_owned()]);
        let base = OpenCodeBase { mode: Some(DefaultMode::AcceptEdits), servers: &servers, lists_hosts: true };
        let found: Vec<String> = rules(&decisions, &base)
            .iter()
            .map(|rule| format!("{} {} {}", rule["effect"], rule["action"], rule["resource"]).replace('"', ""))
            .collect();
        let want = [
            "ask shell *",
            "ask webfetch *",
            "ask db_* *",
            "deny webfetch *",
            "allow shell ls *",
            "ask shell git *",
            "deny shell rm *",
        ];
        assert_eq!(found, want);
        let none = OpenCodeBase { mode: None, servers: &servers, lists_hosts: false };
        assert_eq!(rules(&[], &none), Vec::<Value>::new());
    }
}
