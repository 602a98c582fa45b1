//! The words in the names of tools and arguments.

/// Returns the name of a tool without the MCP server before it: `mcp__SERVER__TOOL`, or Cursor's `MCP:TOOL`. Gemini CLI
/// writes `mcp_SERVER_TOOL`, in which the end of the server's name cannot be known.
pub fn own_name(name: &str) -> &str {
    let own = name.rsplit("__").next().unwrap_or(name);
    own.strip_prefix("MCP:").or_else(|| own.strip_prefix("mcp_")).unwrap_or(own)
}

/// Lists the names that a rule for a tool may use: the whole name, the tool's own name, and for Gemini CLI, every end of
/// it after the server's name.
pub fn aliases(name: &str) -> Vec<&str> {
    let own = own_name(name);
    let mut found = vec![name, own];
    if name.starts_with("mcp_") && !name.starts_with("mcp__") {
        found.extend(own.match_indices('_').map(|(at, _)| &own[at + 1..]));
    }
    found
}

/// Splits a name into words in lower case: `read_text_file`, `execute-command`, `targetFile`.
pub fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous = ' ';
    for c in name.chars() {
        let begins = c.is_uppercase() && previous.is_lowercase();
        if (begins || !c.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        previous = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split() {
        for (name, want) in [
            ("read_text_file", "read text file"),
            ("execute-command", "execute command"),
            ("targetFile", "target file"),
            ("TargetFile", "target file"),
            ("start__process", "start process"),
            ("URL", "url"),
            ("", ""),
        ] {
            assert_eq!(words(name).join(" "), want);
        }
    }

    #[test]
    fn servers_are_removed() {
        assert_eq!(aliases("mcp__git__git_push"), ["mcp__git__git_push", "git_push"]);
        assert_eq!(aliases("MCP:git_push"), ["MCP:git_push", "git_push"]);
        assert_eq!(aliases("mcp_git_push"), ["mcp_git_push", "git_push", "push"]);
        assert_eq!(aliases("Bash"), ["Bash", "Bash"]);
    }
}
