//! Items that begin with a label, such as "Edit: `src/**`": what their code spans are about.

use super::PermissionSubject;

/// The label of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemLabel {
    Edit,
    Read,
    Mcp,
    Web,
}

impl ItemLabel {
    /// Reads the words before the first colon of an item.
    pub fn parse(text: &str) -> Option<Self> {
        let (label, _) = text.split_once(':')?;
        match label.trim().to_lowercase().as_str() {
            "edit" | "edit files" | "write" | "write files" => Some(Self::Edit),
            "read" | "read files" => Some(Self::Read),
            "mcp" | "mcp tool" | "mcp tools" | "mcp server" | "mcp servers" => Some(Self::Mcp),
            "web" | "fetch" => Some(Self::Web),
            _ => None,
        }
    }

    /// Subject of a code span of the item; `None` if it is no path, tool or host.
    pub fn subject(self, code: &str) -> Option<PermissionSubject> {
        match self {
            Self::Edit => is_file_pattern(code).then(|| PermissionSubject::Edit(code.to_owned())),
            Self::Read => is_file_pattern(code).then(|| PermissionSubject::Read(code.to_owned())),
            Self::Mcp => mcp(code),
            Self::Web => host(code).map(PermissionSubject::Domain),
        }
    }
}

fn is_file_pattern(code: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '*' | '~' | '?' | '@' | '+');
    !code.is_empty() && code.chars().all(plain)
}

/// `server`, `server/*` or `server/tool`, or the name that Claude Code gives to the tool.
fn mcp(code: &str) -> Option<PermissionSubject> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_name = |name: &str| !name.is_empty() && name.chars().all(plain);
    let (server, tool) = match code.strip_prefix("mcp__") {
        Some(rest) => rest.split_once("__").map_or((rest, None), |(server, tool)| (server, Some(tool))),
        None => code.split_once('/').map_or((code, None), |(server, tool)| (server, Some(tool))),
    };
    let tool = tool.filter(|tool| *tool != "*");
    let is_valid = is_name(server) && tool.is_none_or(is_name);
    is_valid.then(|| PermissionSubject::Mcp { server: server.to_owned(), tool: tool.map(str::to_owned) })
}

/// The host at the start of an item.
pub(super) fn host(text: &str) -> Option<String> {
    let word = text.trim_start_matches('`').split(|c: char| c.is_whitespace() || c == '`').next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let is_host = word.contains('.') && !word.ends_with('.') && !word.starts_with('.') && word.chars().all(plain);
    is_host.then(|| word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_decide_what_code_means() {
        let mcp = |server: &str, tool: Option<&str>| {
            Some(PermissionSubject::Mcp { server: server.to_owned(), tool: tool.map(str::to_owned) })
        };
        for (text, code, want) in [
            ("Edit: `a`", "src/**", Some(PermissionSubject::Edit("src/**".to_owned()))),
            ("write files: `a`", "package.json", Some(PermissionSubject::Edit("package.json".to_owned()))),
            ("Edit: `a`", "sed -i", None),
            ("Read: `a`", "keys/", Some(PermissionSubject::Read("keys/".to_owned()))),
            ("MCP: `a`", "github/merge_pr", mcp("github", Some("merge_pr"))),
            ("MCP: `a`", "github/*", mcp("github", None)),
            ("MCP tools: `a`", "mcp__my-db__query", mcp("my-db", Some("query"))),
            ("MCP: `a`", "mcp__my-db", mcp("my-db", None)),
            ("MCP: `a`", "github/get_*", None),
            ("MCP: `a`", "/x", None),
            ("Web: `a`", "Docs.rs", Some(PermissionSubject::Domain("docs.rs".to_owned()))),
            ("Fetch: `a`", "localhost", None),
        ] {
            let label = ItemLabel::parse(text).unwrap();
            assert_eq!(label.subject(code), want, "{text} {code}");
        }
        for text in ["Look: `ls`", "`edit`", "Read secrets: `.env`", "Edit the docs"] {
            assert_eq!(ItemLabel::parse(text), None, "{text}");
        }
    }
}
