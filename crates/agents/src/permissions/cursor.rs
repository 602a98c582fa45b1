//! Permissions of Cursor.

use super::entry::{EntryMeaning, inner, meaning_of_glob, server_tool};
use canonry_model::canon::permissions::{PermissionSubject, Verdict};

/// Cursor has no `ask` list. It asks for everything in neither list, except under `--force`, so `ask` becomes `deny`.
pub(super) fn list(decision: Verdict) -> &'static str {
    if decision == Verdict::Allow { "allow" } else { "deny" }
}

/// The entries of Cursor.
pub(super) fn entries(subject: &PermissionSubject) -> Vec<String> {
    let files = |kind: &str, pattern: &str| globs(pattern).into_iter().map(|glob| format!("{kind}({glob})")).collect();
    match subject {
        PermissionSubject::Command(words) => match words.split_first() {
            Some((program, [])) => vec![format!("Shell({program})")],
            Some((program, rest)) => {
                let rest = rest.join(" ");
                vec![format!("Shell({program}:{rest})"), format!("Shell({program}:{rest} *)")]
            }
            None => Vec::new(),
        },
        PermissionSubject::Read(pattern) => files("Read", pattern),
        PermissionSubject::Edit(pattern) => files("Write", pattern),
        PermissionSubject::Mcp { server, tool } => vec![format!("Mcp({server}:{})", tool.as_deref().unwrap_or("*"))],
        PermissionSubject::Domain(host) => vec![format!("WebFetch({host})")],
        PermissionSubject::Flag(_) | PermissionSubject::Push(_) | PermissionSubject::Action(_) => Vec::new(),
    }
}

/// Globs from the top of the repository. A name without a wildcard may be a folder, whose content is meant too.
fn globs(pattern: &str) -> Vec<String> {
    let folder = pattern.strip_suffix('/');
    let path = folder.unwrap_or(pattern).trim_start_matches("./");
    let base = if path.contains('/') || path.starts_with("**") || path.starts_with('~') {
        path.to_owned()
    } else {
        format!("**/{path}")
    };
    let may_be_folder = !base.rsplit('/').next().is_some_and(|name| name.contains('*'));
    match folder {
        Some(_) => vec![format!("{base}/**")],
        None if may_be_folder => vec![base.clone(), format!("{base}/**")],
        None => vec![base],
    }
}

/// An entry of Cursor; `None` if the canon cannot express it.
pub(super) fn parse(entry: &str) -> Option<EntryMeaning> {
    if let Some(command) = inner(entry, "Shell") {
        return match command.split_once(':') {
            None => Some(EntryMeaning::Prefix(command.to_owned())),
            Some((program, "*")) => Some(EntryMeaning::Prefix(program.to_owned())),
            Some((program, rest)) => Some(match rest.strip_suffix(" *") {
                Some(rest) => EntryMeaning::Prefix(format!("{program} {rest}")),
                None => EntryMeaning::Exact(format!("{program} {rest}")),
            }),
        };
    }
    let subject = if entry.starts_with("Mcp(") {
        let (server, tool) = inner(entry, "Mcp")?.split_once(':')?;
        server_tool(server, tool)
    } else if entry.starts_with("WebFetch(") {
        PermissionSubject::Domain(inner(entry, "WebFetch")?.to_lowercase())
    } else if entry.starts_with("Read(") {
        return Some(meaning_of_glob(inner(entry, "Read")?, PermissionSubject::Read));
    } else {
        return Some(meaning_of_glob(inner(entry, "Write")?, PermissionSubject::Edit));
    };
    Some(EntryMeaning::Subject(subject))
}
