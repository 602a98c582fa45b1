//! Permissions of Claude Code.

use super::LISTS;
use super::entry::{EntryMeaning, ToolPermissions, inner, is_path, listed};
use canonry_model::canon::permissions::{PermissionSubject, Verdict};
use serde_json::Value;

/// Its keys of `permissions`. Those besides the lists and the mode are about its sessions alone.
const KEYS: [&str; 7] =
    ["allow", "ask", "deny", "defaultMode", "additionalDirectories", "disableBypassPermissionsMode", "disableAutoMode"];

/// The permissions in its settings.
pub(super) fn parse_settings(settings: &Value) -> ToolPermissions {
    let mut found = ToolPermissions::default();
    for (key, decision) in LISTS {
        listed(settings, key).iter().for_each(|entry| found.add(decision, parse(decision, entry), entry));
    }
    // It ignores what it does not know, such as an older form by kind of tool.
    let given = settings.get("permissions").and_then(Value::as_object).into_iter().flatten();
    let unknown = given.map(|(key, _)| key).filter(|key| !KEYS.contains(&key.as_str()));
    unknown.for_each(|key| found.add_setting(format!("permissions.{key}")));
    found
}

/// The entries of Claude Code.
pub(super) fn entries(decision: Verdict, subject: &PermissionSubject) -> Vec<String> {
    match subject {
        PermissionSubject::Command(words) => {
            let words = words.join(" ");
            vec![format!("Bash({words})"), format!("Bash({words} *)")]
        }
        PermissionSubject::Read(pattern) => vec![format!("Read({})", render_path(pattern))],
        PermissionSubject::Edit(pattern) => vec![render_edit(decision, pattern)],
        PermissionSubject::Mcp { server, tool } => vec![render_tool(server, tool.as_deref())],
        PermissionSubject::Domain(host) => vec![format!("WebFetch(domain:{host})")],
        // Only a hook can enforce these.
        PermissionSubject::Flag(_) | PermissionSubject::Push(_) | PermissionSubject::Action(_) => Vec::new(),
    }
}

/// Whether an entry of Claude Code that a person wrote includes the other one: `Bash(git log:*)` is the form of older versions.
pub(crate) fn entry_includes(entry: &str, other: &str) -> bool {
    let command =
        |entry: &'_ str| entry.strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(')')).map(str::to_owned);
    let prefix = command(entry).and_then(|command| command.strip_suffix(":*").map(str::to_owned));
    let (Some(prefix), Some(other)) = (prefix, command(other)) else { return false };
    other.strip_suffix(" *").unwrap_or(&other) == prefix
}

/// Claude Code's path patterns start with `//` at the root of the file system and with `/` at the project, wherever the
/// session starts: `./` would be the folder in which it does. A pattern without a folder applies at any depth.
pub(crate) fn render_path(pattern: &str) -> String {
    let open = open_folder(pattern);
    if open.starts_with('~') {
        open
    } else if open.starts_with('/') || open == "**" {
        format!("/{open}")
    } else if is_path(pattern) {
        format!("/{}", open.trim_start_matches("./"))
    } else {
        format!("/**/{open}")
    }
}

/// Its rules for edits cover every tool that changes files. A bare `Edit` also covers files outside of the project, so that
/// only restrictions are written in this form.
fn render_edit(decision: Verdict, pattern: &str) -> String {
    if pattern == "**" && decision != Verdict::Allow {
        "Edit".to_owned()
    } else {
        format!("Edit({})", render_path(pattern))
    }
}

/// The name of an MCP tool, or of a server for all of its tools.
fn render_tool(server: &str, tool: Option<&str>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    let server: String = server.chars().map(plain).collect();
    tool.map_or_else(|| format!("mcp__{server}"), |tool| format!("mcp__{server}__{tool}"))
}

/// A folder as a pattern for everything in it.
fn open_folder(pattern: &str) -> String {
    if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.to_owned() }
}

/// An entry of Claude Code; `None` if the canon cannot express it.
pub fn parse(decision: Verdict, entry: &str) -> Option<EntryMeaning> {
    if let Some(words) = inner(entry, "Bash") {
        return match words.strip_suffix(":*").or_else(|| words.strip_suffix(" *")) {
            Some(prefix) => Some(EntryMeaning::Prefix(prefix.to_owned())),
            None if !words.contains('*') => Some(EntryMeaning::Exact(words.to_owned())),
            None => {
                let text = words.strip_suffix('*').filter(|text| !text.contains('*'))?;
                text.ends_with(|c: char| c.is_alphanumeric()).then(|| EntryMeaning::Text(text.to_owned()))
            }
        };
    }
    if let Some(host) = inner(entry, "WebFetch").and_then(|inner| inner.strip_prefix("domain:")) {
        return Some(EntryMeaning::Subject(PermissionSubject::Domain(host.to_lowercase())));
    }
    if let Some(name) = entry.strip_prefix("mcp__") {
        let (server, tool) = name.split_once("__").map_or((name, None), |(server, tool)| (server, Some(tool)));
        let tool = tool.filter(|tool| *tool != "*").map(str::to_owned);
        return Some(EntryMeaning::Subject(PermissionSubject::Mcp { server: server.to_owned(), tool }));
    }
    if entry == "Edit" && decision != Verdict::Allow {
        return Some(EntryMeaning::Subject(PermissionSubject::Edit("**".to_owned())));
    }
    let writes = inner(entry, "Write").or_else(|| inner(entry, "MultiEdit")).filter(|_| decision != Verdict::Allow);
    if let Some(path) = writes {
        return match parse_path(decision, path, PermissionSubject::Edit)? {
            EntryMeaning::Subject(subject) => Some(EntryMeaning::SomeEdits(subject)),
            EntryMeaning::AtTop(subject) if decision == Verdict::Deny => Some(EntryMeaning::SomeEdits(subject)),
            _ => None,
        };
    }
    match (inner(entry, "Edit"), inner(entry, "Read")) {
        (Some(path), _) => parse_path(decision, path, PermissionSubject::Edit),
        (_, Some(path)) => parse_path(decision, path, PermissionSubject::Read),
        _ => None,
    }
}

/// `//` is the root of the file system, `/` the project, and `./` or nothing the folder in which the session starts. A name
/// without a folder applies at any depth.
fn parse_path(decision: Verdict, path: &str, subject: fn(String) -> PermissionSubject) -> Option<EntryMeaning> {
    let whole = |path: &str| Some(EntryMeaning::Subject(subject(path.to_owned())));
    if let Some(rest) = path.strip_prefix("//") {
        return whole(&format!("/{rest}"));
    }
    let is_anchored = path.starts_with('/') || path.starts_with("./");
    let path = path.strip_prefix("./").or_else(|| path.strip_prefix('/')).unwrap_or(path);
    if let Some(name) = path.strip_prefix("**/").filter(|name| !name.is_empty()) {
        // Everything in a folder of this name.
        return match name.strip_suffix("/**").filter(|name| !is_path(name)) {
            Some(folder) => whole(&format!("{folder}/")),
            None if !is_path(name) => whole(name),
            None => whole(path),
        };
    }
    match path {
        // A restriction of the project's files does not cover others.
        "**" if decision == Verdict::Allow => whole("**"),
        "**" => None,
        _ if is_anchored && !is_path(path) => Some(EntryMeaning::AtTop(subject(path.to_owned()))),
        _ => whole(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_entry_includes_the_same_words() {
        for (entry, other, want) in [
            ("Bash(git log:*)", "Bash(git log)", true),
            ("Bash(git log:*)", "Bash(git log *)", true),
            ("Bash(git log:*)", "Bash(git log -1 *)", false),
            ("Bash(git log)", "Bash(git log *)", false),
            ("Read(a:*)", "Read(a)", false),
        ] {
            assert_eq!(entry_includes(entry, other), want, "{entry} {other}");
        }
    }
}
