//! The built-in tools of coding agents: Claude Code's names, which the canon uses, and those of Gemini CLI.

/// A built-in tool.
#[derive(Clone, Copy, Debug)]
pub struct AgentTool {
    /// The name in Claude Code.
    pub claude: &'static str,
    /// The names in Gemini CLI, the current one first. Older ones are only read.
    pub gemini: &'static [&'static str],
    /// Effect of its calls.
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

/// Tools that only matchers and permissions name.
const OTHER_CLAUDE_TOOLS: [&str; 10] = [
    "Agent",
    "AskUserQuestion",
    "BashOutput",
    "ExitPlanMode",
    "KillShell",
    "NotebookEdit",
    "PowerShell",
    "Skill",
    "SlashCommand",
    "Task",
];
const OTHER_GEMINI_TOOL: &str = "save_memory";

/// The names in Claude Code of the tools that matchers and permissions name.
pub fn claude_names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|tool| tool.claude).chain(OTHER_CLAUDE_TOOLS)
}

/// The names in Gemini CLI of the tools that matchers name.
pub fn gemini_names() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().flat_map(|tool| tool.gemini.iter().copied()).chain([OTHER_GEMINI_TOOL])
}

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

/// The names in Gemini CLI of everything but some tools of Claude Code: the built-in tools of the table, and those of MCP
/// servers. `None` if one of them has no equivalent, or is part of a server.
pub fn gemini_names_except(denied: &[String]) -> Option<Vec<String>> {
    let mut without: Vec<&str> = Vec::new();
    for name in denied {
        without.extend(by_claude_name(name).filter(|tool| !tool.gemini.is_empty())?.gemini);
    }
    let mut names: Vec<String> = Vec::new();
    for name in TOOLS.iter().flat_map(|tool| tool.gemini.first()).filter(|name| !without.contains(name)) {
        if !names.iter().any(|known| known == name) {
            names.push((*name).to_owned());
        }
    }
    names.push("mcp_*".to_owned());
    Some(names)
}

/// GitHub Copilot's names of groups of tools, and the tools of Claude Code that such a name allows together. Source:
/// "Custom agents configuration" (docs.github.com, 2026-11).
const COPILOT_GROUPS: [(&str, &[&str]); 4] = [
    ("execute", &["Bash"]),
    ("edit", &["Edit", "Write"]),
    ("web", &["WebFetch", "WebSearch"]),
    ("todo", &["TodoWrite"]),
];

/// Qwen Code's names of tools of Claude Code. Source: the documentation in the package of 0.24.4.
pub const QWEN_TOOLS: [(&str, &str); 10] = [
    ("Read", "read_file"),
    ("Grep", "grep_search"),
    ("Glob", "glob"),
    ("LS", "list_directory"),
    ("Edit", "edit"),
    ("MultiEdit", "edit"),
    ("Write", "write_file"),
    ("Bash", "run_shell_command"),
    ("WebFetch", "web_fetch"),
    ("TodoWrite", "todo_write"),
];

/// Factory Droid's names of tools of Claude Code (<https://docs.factory.ai/cli/configuration/custom-droids>, 2026-11).
pub const FACTORY_TOOLS: [(&str, &str); 10] = [
    ("Read", "Read"),
    ("Grep", "Grep"),
    ("Glob", "Glob"),
    ("LS", "LS"),
    ("Edit", "Edit"),
    ("Write", "Create"),
    ("Bash", "Execute"),
    ("WebFetch", "FetchUrl"),
    ("WebSearch", "WebSearch"),
    ("TodoWrite", "TodoWrite"),
];

/// Codex's names of tools of Claude Code: events of 0.169.0, in `fixtures/hooks`.
pub const CODEX_TOOLS: [(&str, &str); 4] =
    [("Bash", "Bash"), ("Edit", "apply_patch"), ("Write", "apply_patch"), ("MultiEdit", "apply_patch")];

/// Cursor's names of tools of Claude Code, reported: `fixtures/hooks/README.md` has the sources.
pub const CURSOR_TOOLS: [(&str, &str); 7] = [
    ("Bash", "Shell"),
    ("Edit", "Write"),
    ("Write", "Write"),
    ("MultiEdit", "Write"),
    ("Read", "Read"),
    ("Grep", "Grep"),
    ("Task", "Task"),
];

/// Grok Build's names of tools of Claude Code: events of 1.0.41, in `fixtures/hooks`, and the guide in the program.
pub const GROK_TOOLS: [(&str, &str); 7] = [
    ("Bash", "run_terminal_command"),
    ("Edit", "search_replace"),
    ("MultiEdit", "search_replace"),
    ("Write", "write"),
    ("Read", "read_file"),
    ("Grep", "grep"),
    ("Task", "spawn_subagent"),
];

/// OpenCode's names of tools of Claude Code, as 1.18.33 offers them: some models get `apply_patch` instead of `edit` and
/// `write`.
pub const OPENCODE_TOOLS: [(&str, &str); 10] = [
    ("Bash", "bash"),
    ("Edit", "edit|apply_patch"),
    ("MultiEdit", "edit|apply_patch"),
    ("Write", "write|apply_patch"),
    ("Read", "read"),
    ("Grep", "grep"),
    ("Glob", "glob"),
    ("WebFetch", "webfetch"),
    ("TodoWrite", "todowrite"),
    ("Task", "task"),
];

/// Antigravity's names of tools of Claude Code, reported: `fixtures/hooks/README.md` has the sources.
pub const ANTIGRAVITY_TOOLS: [(&str, &str); 4] =
    [("Bash", "run_command"), ("Read", "view_file"), ("Write", "write_to_file"), ("Edit", "replace_file_content")];

/// The own name of a tool of Claude Code. `servers` replaces `mcp__` in names of servers and their tools; `None` if those have
/// no equivalent.
pub fn own_name(claude: &str, tools: &[(&str, &str)], servers: Option<&str>) -> Option<String> {
    match claude.strip_prefix("mcp__") {
        Some(rest) => servers.map(|prefix| format!("{prefix}{rest}")),
        None => tools.iter().find(|(name, _)| *name == claude).map(|(_, own)| (*own).to_owned()),
    }
}

/// Factory Droid's names of groups of tools.
pub const FACTORY_GROUPS: [(&str, &[&str]); 4] = [
    ("read-only", &["Read", "LS", "Grep", "Glob"]),
    ("edit", &["Edit", "Write"]),
    ("execute", &["Bash"]),
    ("web", &["WebSearch", "WebFetch"]),
];

/// OpenCode's permissions, and the tools of Claude Code that each stands for (<https://opencode.ai/docs/permissions/>).
pub const OPENCODE_PERMISSIONS: [(&str, &[&str]); 10] = [
    ("read", &["Read"]),
    ("grep", &["Grep"]),
    ("glob", &["Glob"]),
    ("list", &["LS"]),
    ("edit", &["Edit", "Write"]),
    ("bash", &["Bash"]),
    ("webfetch", &["WebFetch"]),
    ("websearch", &["WebSearch"]),
    ("task", &["Task"]),
    ("skill", &["Skill"]),
];

/// The names in GitHub Copilot of tools of Claude Code, or of MCP servers.
///
/// # Errors
/// A tool that Copilot does not have, or only together with one that is not listed.
pub fn copilot_names(claude: &[String]) -> Result<Vec<String>, String> {
    let has = |name: &str| claude.iter().any(|tool| tool == name);
    let mut names: Vec<String> = Vec::new();
    for tool in claude {
        let group = COPILOT_GROUPS.iter().find(|(_, tools)| tools.contains(&tool.as_str()));
        let name = match (tool.as_str(), group) {
            ("Read" | "NotebookRead", _) => "read".to_owned(),
            ("Grep" | "Glob" | "LS", _) => "search".to_owned(),
            ("MultiEdit" | "NotebookEdit", _) if has("Edit") && has("Write") => "edit".to_owned(),
            (_, Some((name, tools))) if tools.iter().all(|tool| has(tool)) => (*name).to_owned(),
            _ => match tool.strip_prefix("mcp__").map(|rest| rest.split_once("__").unwrap_or((rest, "*"))) {
                Some((server, "" | "*")) => format!("{server}/*"),
                Some((server, own)) => format!("{server}/{own}"),
                None => return Err(tool.clone()),
            },
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// The tools in Claude Code that a name of GitHub Copilot allows; `None` for a name that it does not have.
pub fn claude_names_of_copilot(name: &str) -> Option<Vec<String>> {
    let named = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
    let group = COPILOT_GROUPS.iter().find(|(group, _)| *group == name);
    match (name, group) {
        ("read", _) => named(&["Read"]),
        ("search", _) => named(&["Grep", "Glob"]),
        (_, Some((_, tools))) => named(tools),
        _ => match name.split_once('/')? {
            (server, "*") => named(&[&format!("mcp__{server}")]),
            (server, tool) => named(&[&format!("mcp__{server}__{tool}")]),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_copilot_adds_a_tool() {
        let names = |tools: &str| copilot_names(&tools.split(' ').map(str::to_owned).collect::<Vec<_>>());
        let list = |names: &str| Ok(names.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(names("Read Grep Glob Bash"), list("read search execute"));
        assert_eq!(names("Edit Write MultiEdit"), list("edit"));
        assert_eq!(names("mcp__db__query mcp__docs"), list("db/query docs/*"));
        for (tools, missing) in [("Read Edit", "Edit"), ("WebFetch", "WebFetch"), ("Bash(git)", "Bash(git)")] {
            assert_eq!(names(tools), Err(missing.to_owned()));
        }
    }

    #[test]
    fn denied_tools_of_gemini_are_all_others() {
        let except = |tools: &[&str]| gemini_names_except(&tools.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
        let names = except(&["Bash", "Edit"]).unwrap();
        assert!(names.iter().all(|name| name != "run_shell_command" && name != "replace"), "{names:?}");
        assert!(names.contains(&"read_file".to_owned()) && names.contains(&"mcp_*".to_owned()));
        assert_eq!(except(&["Bash(rm *)"]), None);
        assert_eq!(except(&["mcp__db"]), None);
    }

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
