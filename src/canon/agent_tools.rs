//! The built-in tools of coding agents: Claude Code's names, which the canon uses, and those of Gemini CLI.

/// A built-in tool.
#[derive(Clone, Copy, Debug)]
pub struct AgentTool {
    /// The name in Claude Code.
    pub claude: &'static str,
    /// The names in Gemini CLI, the current one first. Older ones are only read.
    pub gemini: &'static [&'static str],
    /// What it can do.
    effect: ToolEffect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ToolEffect {
    ReadsFiles,
    Other,
}

const fn tool(claude: &'static str, gemini: &'static [&'static str], effect: ToolEffect) -> AgentTool {
    AgentTool { claude, gemini, effect }
}

/// Source: the tool reference of Gemini CLI 0.49 and the tool list of Claude Code 2.1, October 2026.
const TOOLS: [AgentTool; 12] = [
    tool("Read", &["read_file", "read_many_files"], ToolEffect::ReadsFiles),
    tool("Grep", &["grep_search", "search_file_content"], ToolEffect::ReadsFiles),
    tool("Glob", &["glob"], ToolEffect::ReadsFiles),
    tool("LS", &["list_directory"], ToolEffect::ReadsFiles),
    tool("NotebookRead", &[], ToolEffect::ReadsFiles),
    tool("Edit", &["replace"], ToolEffect::Other),
    tool("Write", &["write_file"], ToolEffect::Other),
    tool("Bash", &["run_shell_command"], ToolEffect::Other),
    tool("WebFetch", &["web_fetch"], ToolEffect::Other),
    tool("WebSearch", &["google_web_search"], ToolEffect::Other),
    tool("TodoWrite", &["write_todos"], ToolEffect::Other),
    tool("MultiEdit", &["replace"], ToolEffect::Other),
];

impl AgentTool {
    /// Whether it can only read files.
    pub fn only_reads(&self) -> bool {
        self.effect == ToolEffect::ReadsFiles
    }
}

/// The tool with this name in Claude Code.
pub fn by_claude_name(name: &str) -> Option<&'static AgentTool> {
    TOOLS.iter().find(|tool| tool.claude == name)
}

/// The names in Claude Code of a tool of Gemini CLI; `None` if it has no equivalent.
pub fn claude_name(gemini: &str) -> Option<&'static str> {
    TOOLS.iter().find(|tool| tool.gemini.contains(&gemini)).map(|tool| tool.claude)
}

/// The name in Gemini CLI of a tool of Claude Code, or of an MCP server; `None` if it has no equivalent. A tool with a
/// pattern, such as `Bash(git *)`, has none: Gemini CLI would allow the whole tool.
pub fn gemini_name(claude: &str) -> Option<String> {
    if let Some(server) = claude.strip_prefix("mcp__") {
        return Some(match server.split_once("__") {
            Some((server, "*")) | Some((server, "")) => format!("mcp_{server}_*"),
            Some((server, tool)) => format!("mcp_{server}_{tool}"),
            None => format!("mcp_{server}_*"),
        });
    }
    by_claude_name(claude)?.gemini.first().map(|name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translates_names_both_ways() {
        for (claude, gemini) in [
            ("Read", Some("read_file")),
            ("Bash", Some("run_shell_command")),
            ("Bash(git *)", None),
            ("Skill", None),
            ("mcp__db__query", Some("mcp_db_query")),
            ("mcp__db", Some("mcp_db_*")),
        ] {
            assert_eq!(gemini_name(claude).as_deref(), gemini, "{claude}");
        }
        assert_eq!(claude_name("search_file_content"), Some("Grep"));
        assert_eq!(claude_name("mcp_db_query"), None, "where the server's name ends is unknown");
    }
}
