//! The names that tools give to the operations of MCP servers: `mcp__github__merge_pr` (Claude Code, Codex),
//! `mcp_github_merge_pr` (Gemini CLI), `MCP:merge_pr` (Cursor).

use super::names;

/// Words that servers write in different ways.
const SYNONYMS: [(&str, &[&str]); 9] = [
    ("pr", &["pull", "request"]),
    ("prs", &["pull", "request"]),
    ("mr", &["merge", "request"]),
    ("mrs", &["merge", "request"]),
    ("repo", &["repository"]),
    ("db", &["database"]),
    ("msg", &["message"]),
    ("env", &["environment"]),
    ("k8s", &["kubernetes"]),
];

/// The server and the operation in the name of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperationName {
    /// The server and the operation as words.
    Full { server: Vec<String>, operation: Vec<String> },
    /// The words of both; where the server ends is unknown.
    Joined(Vec<String>),
    /// Only the operation is known.
    Bare(Vec<String>),
}

impl OperationName {
    pub fn parse(name: &str) -> Self {
        if let Some((server, operation)) = name.strip_prefix("mcp__").and_then(|rest| rest.rsplit_once("__")) {
            return Self::Full { server: words(server), operation: words(operation) };
        }
        // Antigravity and others write `server/operation` or `server.operation`.
        if let Some((server, operation)) = name.rsplit_once(['/', '.']).filter(|(server, _)| !server.is_empty()) {
            return Self::Full { server: words(server), operation: words(operation) };
        }
        match (name.strip_prefix("mcp_"), name.get(..4)) {
            (Some(rest), _) => Self::Joined(words(rest)),
            (None, Some(start)) if start.eq_ignore_ascii_case("mcp:") => {
                Self::Bare(words(name.get(4..).unwrap_or_default()))
            }
            _ => Self::Bare(words(name)),
        }
    }

    /// Checks whether this is an operation of any server.
    pub fn is_operation(&self, operation: &str) -> bool {
        let wanted = words(operation);
        match self {
            Self::Full { operation, server } => without(operation, server) == wanted || *operation == wanted,
            Self::Joined(all) => all.len() > wanted.len() && all.ends_with(&wanted),
            Self::Bare(all) => *all == wanted,
        }
    }

    /// Checks whether this is a tool of a server, or any of its tools; `None` if the name does not say the server.
    pub fn belongs_to(&self, server: &str, tool: Option<&str>) -> Option<bool> {
        let start = words(server);
        match self {
            Self::Full { server, operation } => {
                Some(*server == start && tool.is_none_or(|tool| *operation == words(tool)))
            }
            Self::Joined(all) => Some(match tool {
                Some(tool) => *all == [start, words(tool)].concat(),
                None => all.starts_with(&start),
            }),
            Self::Bare(own) => match tool {
                Some(tool) if *own == words(tool) => None,
                _ => Some(false),
            },
        }
    }

    /// Checks whether this is an operation of a server. The server may be registered under a longer name.
    pub fn is_operation_of(&self, server: &str, operation: &str) -> bool {
        let wanted = words(server);
        let names_server = match self {
            Self::Full { server, .. } => contains(server, &wanted),
            Self::Joined(all) => contains(all, &wanted),
            Self::Bare(_) => true,
        };
        let own_name = || match self {
            // `git_push` of the tool `git`
            Self::Full { operation: own, .. } | Self::Bare(own) | Self::Joined(own) => {
                own.ends_with(&[wanted.clone(), words(operation)].concat())
            }
        };
        own_name() || names_server && self.is_operation(operation)
    }
}

fn without(operation: &[String], server: &[String]) -> Vec<String> {
    operation.strip_prefix(server).unwrap_or(operation).to_vec()
}

fn contains(all: &[String], part: &[String]) -> bool {
    part.is_empty() || all.windows(part.len()).any(|window| window == part)
}

/// The words of a name, with short forms written out.
fn words(name: &str) -> Vec<String> {
    let full = |word: String| match SYNONYMS.iter().find(|(short, _)| *short == word) {
        Some((_, full)) => full.iter().map(|&word| word.to_owned()).collect(),
        None => vec![word],
    };
    names::words(name).into_iter().flat_map(full).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_has_its_own_form() {
        for (name, want) in [
            ("mcp__github__merge_pr", true),
            ("mcp__github__merge_pull_request", true),
            ("mcp__github-enterprise__mergePullRequest", true),
            ("mcp__plugin_github_github__merge_pull_request", true),
            ("mcp__github__github_merge_pr", true),
            ("mcp_github_merge_pr", true),
            ("mcp_my_github_merge_pull_request", true),
            ("MCP:merge_pr", true),
            ("MCP:merge_pull_request", true),
            ("github_merge_pr", true),
            ("github/merge_pull_request", true),
            ("mcp__gitlab__merge_pr", false),
            ("mcp_gitlab_merge_pr", false),
            ("mcp__github__get_pull_request", false),
            ("mcp__github__pre_merge_pr_check", false),
            ("MCP:list_pull_requests", false),
            ("Bash", false),
        ] {
            assert_eq!(OperationName::parse(name).is_operation_of("github", "merge_pr"), want, "{name}");
        }
    }

    #[test]
    fn an_operation_of_any_server() {
        for (name, want) in [
            ("mcp__forge__merge_pull_request", true),
            ("mcp_forge_merge_pull_request", true),
            ("mcp_forge_unmerge_pull_request", false),
            ("merge_pull_request", true),
            ("mcp__x__list_merge_pull_request", false),
        ] {
            assert_eq!(OperationName::parse(name).is_operation("merge_pull_request"), want, "{name}");
        }
    }
}
