//! Permissions of Antigravity.

use super::entry::{EntryMeaning, inner, meaning_of_glob, server_tool};
use canonry_model::canon::permissions::PermissionSubject;

/// The path that Antigravity compares: literal, from the top of the repository, and with everything below a folder. It
/// knows no patterns; of a name at any depth, it gets the one at the top.
fn literal_path(pattern: &str) -> Option<&str> {
    let is_literal = !pattern.contains(['*', '?', '[', '{']) && !pattern.starts_with(['~', '!']);
    let path = pattern.trim_start_matches("./").trim_end_matches('/');
    (is_literal && !path.is_empty()).then_some(path)
}

/// Whether the settings of Antigravity cover all files of a pattern.
pub(super) fn is_literal_path(pattern: &str) -> bool {
    literal_path(pattern).is_some_and(|path| path.contains('/') || pattern.starts_with("./"))
}

/// The entries of Antigravity. Its `write_file` also decides about reading, so that edits are left to the hook.
pub(super) fn entries(subject: &PermissionSubject) -> Vec<String> {
    match subject {
        PermissionSubject::Command(words) => vec![format!("command({})", words.join(" "))],
        PermissionSubject::Read(pattern) => {
            literal_path(pattern).map(|path| format!("read_file({path})")).into_iter().collect()
        }
        PermissionSubject::Mcp { server, tool } => vec![format!("mcp({server}/{})", tool.as_deref().unwrap_or("*"))],
        PermissionSubject::Domain(host) => vec![format!("read_url({host})")],
        _ => Vec::new(),
    }
}

/// An entry of Antigravity; `None` if the canon cannot express it.
pub(super) fn parse(entry: &str) -> Option<EntryMeaning> {
    if let Some(words) = inner(entry, "command") {
        return Some(EntryMeaning::Prefix(words.strip_suffix(" *").unwrap_or(words).to_owned()));
    }
    let subject = if entry.starts_with("mcp(") {
        let (server, tool) = inner(entry, "mcp")?.split_once('/')?;
        server_tool(server, tool)
    } else if entry.starts_with("read_url(") {
        PermissionSubject::Domain(inner(entry, "read_url")?.to_lowercase())
    } else {
        return Some(meaning_of_glob(inner(entry, "read_file")?, PermissionSubject::Read));
    };
    Some(EntryMeaning::Subject(subject))
}
