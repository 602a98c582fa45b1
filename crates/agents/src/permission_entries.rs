//! A permission in the words of each tool. docs/reference/tools.md has the sources.

use canonry_model::canon::permissions::{PermissionSubject, Verdict};

/// Cursor has no `ask` list. It asks for everything in neither list, except under `--force`, so `ask` becomes `deny`.
pub(super) fn cursor_list(decision: Verdict) -> &'static str {
    if decision == Verdict::Allow { "allow" } else { "deny" }
}

/// The entries of Claude Code.
pub(super) fn claude_entries(decision: Verdict, subject: &PermissionSubject) -> Vec<String> {
    match subject {
        PermissionSubject::Command(words) => {
            let words = words.join(" ");
            vec![format!("Bash({words})"), format!("Bash({words} *)")]
        }
        PermissionSubject::Read(pattern) => vec![format!("Read({})", claude_path(pattern))],
        PermissionSubject::Edit(pattern) => vec![claude_edit(decision, pattern)],
        PermissionSubject::Mcp { server, tool } => vec![claude_tool(server, tool.as_deref())],
        PermissionSubject::Domain(host) => vec![format!("WebFetch(domain:{host})")],
        // Only a hook can enforce these.
        PermissionSubject::Flag(_) | PermissionSubject::Push(_) | PermissionSubject::Action(_) => Vec::new(),
    }
}

/// Whether an entry of Claude Code that a person wrote includes the other one: `Bash(git log:*)` is the form of older versions.
pub(super) fn claude_entry_includes(entry: &str, other: &str) -> bool {
    let command =
        |entry: &'_ str| entry.strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(')')).map(str::to_owned);
    let prefix = command(entry).and_then(|command| command.strip_suffix(":*").map(str::to_owned));
    let (Some(prefix), Some(other)) = (prefix, command(other)) else { return false };
    other.strip_suffix(" *").unwrap_or(&other) == prefix
}

/// Claude Code's path patterns start with `//` at the root of the file system and with `/` at the project, wherever the
/// session starts: `./` would be the folder in which it does. A pattern without a folder applies at any depth.
pub(super) fn claude_path(pattern: &str) -> String {
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
fn claude_edit(decision: Verdict, pattern: &str) -> String {
    if pattern == "**" && decision != Verdict::Allow {
        "Edit".to_owned()
    } else {
        format!("Edit({})", claude_path(pattern))
    }
}

/// The name of an MCP tool, or of a server for all of its tools.
fn claude_tool(server: &str, tool: Option<&str>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    let server: String = server.chars().map(plain).collect();
    tool.map_or_else(|| format!("mcp__{server}"), |tool| format!("mcp__{server}__{tool}"))
}

/// Whether a pattern is relative to the top. A name, also that of a folder, applies at any depth.
fn is_path(pattern: &str) -> bool {
    pattern.trim_end_matches('/').contains('/')
}

/// A folder as a pattern for everything in it.
fn open_folder(pattern: &str) -> String {
    if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.to_owned() }
}

/// The entries of Cursor.
pub(super) fn cursor_entries(subject: &PermissionSubject) -> Vec<String> {
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
pub(super) fn antigravity_entries(subject: &PermissionSubject) -> Vec<String> {
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

/// The tools that Gemini CLI does not offer to the model. It has no form for a question, or for some files.
pub(super) fn gemini_exclusions(decision: Verdict, subject: &PermissionSubject) -> Vec<String> {
    match subject {
        _ if decision != Verdict::Deny => Vec::new(),
        PermissionSubject::Mcp { server, tool } => vec![format!("mcp_{server}_{}", tool.as_deref().unwrap_or("*"))],
        PermissionSubject::Edit(pattern) if pattern == "**" => vec!["replace".to_owned(), "write_file".to_owned()],
        _ => Vec::new(),
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
            assert_eq!(claude_entry_includes(entry, other), want, "{entry} {other}");
        }
    }

    #[test]
    fn each_tool_has_its_own_words() {
        let edit = |pattern: &str| PermissionSubject::Edit(pattern.to_owned());
        let read = |pattern: &str| PermissionSubject::Read(pattern.to_owned());
        let mcp =
            |tool: Option<&str>| PermissionSubject::Mcp { server: "git.hub".to_owned(), tool: tool.map(str::to_owned) };
        let deny = Verdict::Deny;
        for (decision, subject, claude, cursor, antigravity, gemini) in [
            (deny, read(".env*"), "Read(/**/.env*)", "Read(**/.env*)", "", ""),
            (deny, read("keys/"), "Read(/**/keys/**)", "Read(**/keys/**)", "read_file(keys)", ""),
            (deny, read("./a/b.pem"), "Read(/a/b.pem)", "Read(a/b.pem) Read(a/b.pem/**)", "read_file(a/b.pem)", ""),
            (deny, read("~/.ssh/**"), "Read(~/.ssh/**)", "Read(~/.ssh/**)", "", ""),
            (deny, edit("src/**"), "Edit(/src/**)", "Write(src/**)", "", ""),
            (deny, edit("a/b"), "Edit(/a/b)", "Write(a/b) Write(a/b/**)", "", ""),
            (deny, edit("Cargo.lock"), "Edit(/**/Cargo.lock)", "Write(**/Cargo.lock) Write(**/Cargo.lock/**)", "", ""),
            (deny, edit("build/"), "Edit(/**/build/**)", "Write(**/build/**)", "", ""),
            (deny, edit("/etc/x"), "Edit(//etc/x)", "Write(/etc/x) Write(/etc/x/**)", "", ""),
            (deny, edit("**"), "Edit", "Write(**)", "", "replace write_file"),
            (Verdict::Allow, edit("**"), "Edit(/**)", "Write(**)", "", ""),
            (deny, mcp(Some("rm")), "mcp__git_hub__rm", "Mcp(git.hub:rm)", "mcp(git.hub/rm)", "mcp_git.hub_rm"),
            (Verdict::Ask, mcp(None), "mcp__git_hub", "Mcp(git.hub:*)", "mcp(git.hub/*)", ""),
            (
                deny,
                PermissionSubject::Domain("a.b".into()),
                "WebFetch(domain:a.b)",
                "WebFetch(a.b)",
                "read_url(a.b)",
                "",
            ),
        ] {
            assert_eq!(claude_entries(decision, &subject).join(" "), claude);
            assert_eq!(cursor_entries(&subject).join(" "), cursor);
            assert_eq!(antigravity_entries(&subject).join(" "), antigravity);
            assert_eq!(gemini_exclusions(decision, &subject).join(" "), gemini);
        }
        assert_eq!(cursor_list(Verdict::Ask), "deny");
    }
}
