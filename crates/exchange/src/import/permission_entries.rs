//! The entries of each tool's permissions, read back as what the canon says. The reverse is `canonry_agents::permissions`.

use canonry_model::canon::permissions::{PermissionSubject, Verdict};

/// Meaning of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AgentEntry {
    /// Commands that begin with these words.
    Prefix(String),
    /// Commands that begin with this text; the canon knows whole words.
    Text(String),
    /// One command without further arguments.
    Exact(String),
    Subject(PermissionSubject),
    /// A restriction of some of the tools that change files; the canon restricts all of them.
    SomeEdits(PermissionSubject),
    /// The same as [`Self::Subject`], but only for a file at the top of the repository.
    AtTop(PermissionSubject),
}

/// The text between the parentheses of `KIND(…)`.
fn inner<'e>(entry: &'e str, kind: &str) -> Option<&'e str> {
    entry.strip_prefix(kind)?.strip_prefix('(')?.strip_suffix(')')
}

fn is_name(path: &str) -> bool {
    !path.trim_end_matches('/').contains('/')
}

/// An entry of Claude Code; `None` if the canon cannot express it.
pub(super) fn claude_entry(decision: Verdict, entry: &str) -> Option<AgentEntry> {
    if let Some(words) = inner(entry, "Bash") {
        return match words.strip_suffix(":*").or_else(|| words.strip_suffix(" *")) {
            Some(prefix) => Some(AgentEntry::Prefix(prefix.to_owned())),
            None if !words.contains('*') => Some(AgentEntry::Exact(words.to_owned())),
            None => {
                let text = words.strip_suffix('*').filter(|text| !text.contains('*'))?;
                text.ends_with(|c: char| c.is_alphanumeric()).then(|| AgentEntry::Text(text.to_owned()))
            }
        };
    }
    if let Some(host) = inner(entry, "WebFetch").and_then(|inner| inner.strip_prefix("domain:")) {
        return Some(AgentEntry::Subject(PermissionSubject::Domain(host.to_lowercase())));
    }
    if let Some(name) = entry.strip_prefix("mcp__") {
        let (server, tool) = name.split_once("__").map_or((name, None), |(server, tool)| (server, Some(tool)));
        let tool = tool.filter(|tool| *tool != "*").map(str::to_owned);
        return Some(AgentEntry::Subject(PermissionSubject::Mcp { server: server.to_owned(), tool }));
    }
    if entry == "Edit" && decision != Verdict::Allow {
        return Some(AgentEntry::Subject(PermissionSubject::Edit("**".to_owned())));
    }
    let writes = inner(entry, "Write").or_else(|| inner(entry, "MultiEdit")).filter(|_| decision != Verdict::Allow);
    if let Some(path) = writes {
        return match claude_path(decision, path, PermissionSubject::Edit)? {
            AgentEntry::Subject(subject) => Some(AgentEntry::SomeEdits(subject)),
            AgentEntry::AtTop(subject) if decision == Verdict::Deny => Some(AgentEntry::SomeEdits(subject)),
            _ => None,
        };
    }
    match (inner(entry, "Edit"), inner(entry, "Read")) {
        (Some(path), _) => claude_path(decision, path, PermissionSubject::Edit),
        (_, Some(path)) => claude_path(decision, path, PermissionSubject::Read),
        _ => None,
    }
}

/// `//` is the root of the file system, `/` the project, and `./` or nothing the folder in which the session starts. A name
/// without a folder applies at any depth.
fn claude_path(decision: Verdict, path: &str, subject: fn(String) -> PermissionSubject) -> Option<AgentEntry> {
    let whole = |path: &str| Some(AgentEntry::Subject(subject(path.to_owned())));
    if let Some(rest) = path.strip_prefix("//") {
        return whole(&format!("/{rest}"));
    }
    let is_anchored = path.starts_with('/') || path.starts_with("./");
    let path = path.strip_prefix("./").or_else(|| path.strip_prefix('/')).unwrap_or(path);
    if let Some(name) = path.strip_prefix("**/").filter(|name| !name.is_empty()) {
        // Everything in a folder of this name.
        return match name.strip_suffix("/**").filter(|name| is_name(name)) {
            Some(folder) => whole(&format!("{folder}/")),
            None if is_name(name) => whole(name),
            None => whole(path),
        };
    }
    match path {
        // A restriction of the project's files does not cover others.
        "**" if decision == Verdict::Allow => whole("**"),
        "**" => None,
        _ if is_anchored && is_name(path) => Some(AgentEntry::AtTop(subject(path.to_owned()))),
        _ => whole(path),
    }
}

/// An entry of Cursor; `None` if the canon cannot express it.
pub(super) fn cursor_entry(entry: &str) -> Option<AgentEntry> {
    if let Some(command) = inner(entry, "Shell") {
        return match command.split_once(':') {
            None => Some(AgentEntry::Prefix(command.to_owned())),
            Some((program, "*")) => Some(AgentEntry::Prefix(program.to_owned())),
            Some((program, rest)) => Some(match rest.strip_suffix(" *") {
                Some(rest) => AgentEntry::Prefix(format!("{program} {rest}")),
                None => AgentEntry::Exact(format!("{program} {rest}")),
            }),
        };
    }
    let subject = if entry.starts_with("Mcp(") {
        let (server, tool) = inner(entry, "Mcp")?.split_once(':')?;
        mcp(server, tool)
    } else if entry.starts_with("WebFetch(") {
        PermissionSubject::Domain(inner(entry, "WebFetch")?.to_lowercase())
    } else if entry.starts_with("Read(") {
        PermissionSubject::Read(glob(inner(entry, "Read")?))
    } else if entry.starts_with("Write(") {
        PermissionSubject::Edit(glob(inner(entry, "Write")?))
    } else {
        return None;
    };
    Some(AgentEntry::Subject(subject))
}

/// An entry of Antigravity; `None` if the canon cannot express it.
pub(super) fn antigravity_entry(entry: &str) -> Option<AgentEntry> {
    if let Some(words) = inner(entry, "command") {
        return Some(AgentEntry::Prefix(words.strip_suffix(" *").unwrap_or(words).to_owned()));
    }
    let subject = if entry.starts_with("mcp(") {
        let (server, tool) = inner(entry, "mcp")?.split_once('/')?;
        mcp(server, tool)
    } else if entry.starts_with("read_url(") {
        PermissionSubject::Domain(inner(entry, "read_url")?.to_lowercase())
    } else if entry.starts_with("read_file(") {
        PermissionSubject::Read(glob(inner(entry, "read_file")?))
    } else {
        return None;
    };
    Some(AgentEntry::Subject(subject))
}

fn mcp(server: &str, tool: &str) -> PermissionSubject {
    PermissionSubject::Mcp { server: server.to_owned(), tool: (tool != "*").then(|| tool.to_owned()) }
}

/// A glob from the top of the repository as a pattern of the canon.
fn glob(glob: &str) -> String {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    match glob.strip_prefix("**/") {
        Some(rest) => match rest.strip_suffix("/**") {
            Some(folder) if is_name(folder) => format!("{folder}/"),
            _ if is_name(rest) => rest.to_owned(),
            _ => glob.to_owned(),
        },
        None => glob.to_owned(),
    }
}

/// Entries that name everything in a folder, beside the entry for the folder itself: together they are one of the canon.
pub(super) struct FolderEntries;

impl FolderEntries {
    /// The entries without them.
    pub fn without(entries: &[String]) -> impl Iterator<Item = &str> {
        let is_other = |entry: &&String| match entry.strip_suffix("/**)") {
            Some(start) => !entries.contains(&format!("{start})")),
            None => true,
        };
        entries.iter().filter(is_other).map(String::as_str)
    }
}
