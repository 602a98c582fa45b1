//! See `matcher_never_matches.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::tool_file::hooks::events;
use canonry_model::canon::tool_file::{Role, ToolFile, ToolFileReader};
use canonry_model::finding::{Location, Severity};
use canonry_model::tools::agent_tools::{claude_names, gemini_names};
use canonry_text::Span;
use canonry_text::closest_match;
use canonry_text::node::Node;

pub(super) static RULE: Rule = Rule {
    id: "matcher-never-matches",
    summary: "matcher, permission or list that names no tool",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("matcher_never_matches.md"),
    check: Check::ToolFile(check),
};

/// Further tools of Claude Code, which matchers seldom name: SchemaStore, `claude-code-settings.json` (2026-09), and "Tools reference" of
/// Claude Code (2.1.240, 2026-08-22).
const RARE_CLAUDE_TOOLS: [&str; 30] = [
    "Artifact",
    "Cd",
    "CronCreate",
    "CronDelete",
    "CronList",
    "EndConversation",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitWorktree",
    "LSP",
    "ListAgents",
    "ListMcpResourcesTool",
    "Monitor",
    "PushNotification",
    "ReadMcpResourceTool",
    "RemoteTrigger",
    "ReportFindings",
    "ScheduleWakeup",
    "SendMessage",
    "SendUserFile",
    "ShareOnboardingGuide",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "ToolSearch",
    "WaitForMcpServers",
    "Workflow",
];
fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    let mut push = |span: Span, message: String, help: String| {
        findings.push(RULE.at(Location::at(source, span), message).help(help));
    };
    for event in events(file).into_iter().filter(|event| event.is_about_tools()) {
        for matcher in event.groups().iter().filter_map(|group| group.get("matcher")) {
            let Some(text) = matcher.as_str() else { continue };
            if let Some((message, help)) = flaw(text, file.kind.reader) {
                push(matcher.span, message, help);
            }
        }
    }
    match (file.kind.reader, file.kind.role) {
        (ToolFileReader::CLAUDE, Role::Settings) => {}
        (ToolFileReader::CLAUDE, Role::Subagent) => {
            return misspelled_tools(file).into_iter().for_each(|(span, message, help)| push(span, message, help));
        }
        _ => return,
    }
    let permissions = file.root().and_then(|root| root.get("permissions"));
    for list in ["allow", "deny", "ask"] {
        let rules = permissions.and_then(|permissions| permissions.get(list)?.as_sequence()).unwrap_or_default();
        for (node, text) in rules.iter().filter_map(|node: &Node| Some((node, node.as_str()?))) {
            if let Some((message, help)) = permission_flaw(text) {
                push(node.span, message, help);
            }
        }
    }
}

/// Tools whose permissions with a path are never matched, and the tool whose permissions cover them: Claude Code 2.1.210
/// and newer warn about the first four at the start of a session.
const COVERED_TOOLS: [(&str, &str); 5] =
    [("Write", "Edit"), ("MultiEdit", "Edit"), ("NotebookEdit", "Edit"), ("Glob", "Read"), ("Grep", "Read")];

/// Why Claude Code skips a permission, or never matches it, and what to write.
fn permission_flaw(rule: &str) -> Option<(String, String)> {
    let (name, pattern) = rule.split_once('(').map_or((rule, None), |(name, pattern)| (name, Some(pattern)));
    let skipped = |reason: &str| format!("Claude Code skips the rule `{rule}`: {reason}");
    if let Some(tool) = other_case(name, ToolFileReader::CLAUDE) {
        let message = format!("the rule `{rule}` matches no tool");
        return Some((message, format!("tool names are case-sensitive; write `{tool}`")));
    }
    let misspelled =
        || Some((format!("the rule `{rule}` matches no tool"), format!("did you mean `{}`?", intended_tool(name)?)));
    let Some(pattern) = pattern else { return misspelled() };
    let Some(pattern) = pattern.strip_suffix(')') else {
        return Some((skipped("it has a parenthesis and does not end with `)`"), format!("write `{name}(…)`")));
    };
    let covering = COVERED_TOOLS.iter().find(|(tool, _)| *tool == name).map(|(_, covering)| *covering);
    match (pattern.split_once(":*"), covering) {
        _ if pattern.is_empty() => Some((skipped("its parentheses are empty"), format!("write `{name}`"))),
        _ if name.starts_with("mcp__") => {
            Some((skipped("rules for MCP tools have no pattern"), format!("write `{name}`")))
        }
        (Some(("", "")), _) if name == "Bash" => Some((
            skipped("no command precedes `:*`"),
            "write the start of a command, or `Bash` for all of them".to_owned(),
        )),
        (Some((before, behind)), _) if name == "Bash" && behind.ends_with(":*") => Some((
            format!("the rule `{rule}` matches only commands that contain `:*`: before the end, it is plain text"),
            format!("write `*` as a wildcard: `Bash({before} *)`"),
        )),
        (Some((_, behind)), _) if name == "Bash" && !behind.is_empty() => {
            Some((skipped("`:*` is not at its end"), "move `:*` to the end, or write `*` as a wildcard".to_owned()))
        }
        (_, Some(covering)) if !matches!(pattern, "*" | "**") => {
            let message =
                format!("the rule `{rule}` is never matched: Claude Code compares paths with `{covering}` rules");
            Some((message, format!("write `{covering}({pattern})`, which covers `{name}`")))
        }
        _ => misspelled(),
    }
}

/// The tool that a misspelled name means. The names of MCP tools and patterns have no neighbours.
fn intended_tool(name: &str) -> Option<&'static str> {
    let is_name = name.len() > 2 && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_known = || claude_names().chain(RARE_CLAUDE_TOOLS).any(|tool| tool == name);
    closest_match(name, claude_names()).filter(|_| is_name && !is_known())
}

/// The names in the tool lists of a subagent that are misspelled. Names in another case may be those of another program.
fn misspelled_tools(file: &ToolFile) -> Vec<(Span, String, String)> {
    let lists = ["tools", "disallowedTools"].into_iter().filter_map(|key| file.root()?.get(key));
    let items = lists.flat_map(|node| node.as_sequence().unwrap_or(std::slice::from_ref(node)));
    let names =
        items.flat_map(|node| node.as_str().into_iter().flat_map(|text| text.split(',')).map(move |name| (node, name)));
    let flaw = |(node, name): (&Node, &str)| {
        let name = name.split('(').next().expect("split is never empty").trim();
        let tool = intended_tool(name).filter(|_| other_case(name, ToolFileReader::CLAUDE).is_none())?;
        Some((node.span, format!("Claude Code has no tool `{name}`"), format!("did you mean `{tool}`?")))
    };
    names.filter_map(flaw).collect()
}

/// The tool whose name differs only in case.
fn other_case(name: &str, reader: ToolFileReader) -> Option<&'static str> {
    let is_same = |tool: &&str| tool.eq_ignore_ascii_case(name);
    let same = match reader {
        ToolFileReader::GEMINI => gemini_names().find(is_same),
        _ => claude_names().find(is_same),
    };
    same.filter(|tool| *tool != name)
}

fn flaw(matcher: &str, reader: ToolFileReader) -> Option<(String, String)> {
    if let Some((tool, _)) =
        matcher.split_once('(').filter(|(tool, rest)| claude_names().any(|known| known == *tool) && rest.ends_with(')'))
    {
        let message =
            format!("the matcher `{matcher}` is compared with names of tools, and no name contains a command");
        return Some((message, format!("write `{tool}`, and check the command in the hook itself or with `if`")));
    }
    if !is_balanced(matcher) {
        let message = format!("the matcher `{matcher}` is not a valid regular expression");
        return Some((message, "close every bracket and parenthesis; separate names of tools by `|`".to_owned()));
    }
    let names = || matcher.split('|').map(str::trim);
    // `Bash|bash` serves several programs.
    let is_served = |tool: &str| names().any(|name| name == tool);
    let wrong = names().find_map(|name| Some((name, other_case(name, reader).filter(|tool| !is_served(tool))?)));
    if let Some((name, tool)) = wrong {
        let message = format!("`{name}` in the matcher matches no tool");
        return Some((message, format!("tool names are case-sensitive; write `{tool}`")));
    }
    None
}

/// Whether every bracket of a regular expression is closed.
fn is_balanced(pattern: &str) -> bool {
    let mut depth = 0_i32;
    let mut in_class = false;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            ']' if in_class => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0 && !in_class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_matchers_without_a_match_are_reported() {
        for (matcher, is_wrong) in [
            ("*", false),
            ("", false),
            ("Bash", false),
            ("Edit|Write|mcp__.*", false),
            ("Notebook.*", false),
            ("^(Edit|Write)$", false),
            ("mcp__github__(create|update).*", false),
            ("bash", true),
            ("Edit|write", true),
            ("Bash|bash|shell", false),
            ("Bash(git *)", true),
            ("(Edit|Write", true),
            ("\\(", false),
            ("[a", true),
            ("MyTool", false),
        ] {
            assert_eq!(flaw(matcher, ToolFileReader::CLAUDE).is_some(), is_wrong, "{matcher}");
        }
    }

    #[test]
    fn permissions_that_are_skipped_or_never_matched() {
        for (rule, want) in [
            ("Bash(git push *)", None),
            ("Bash(npm run test:*)", None),
            ("Bash(echo (a))", None),
            ("Read(./.env)", None),
            ("Edit(src/**)", None),
            ("Write(*)", None),
            ("Write", None),
            ("mcp__notes__*", None),
            ("mcp__notes__list", None),
            ("TaskStop", None),
            ("LSP", None),
            ("MyTool(x)", None),
            ("bash(rm *)", Some("write `Bash`")),
            ("Bsh(git push:*)", Some("did you mean `Bash`?")),
            ("Raed", Some("did you mean `Read`?")),
            ("Bash(rm -r:*", Some("write `Bash(…)`")),
            ("Bash(rm -rf /)*", Some("write `Bash(…)`")),
            ("Bash()", Some("write `Bash`")),
            ("Bash(:*)", Some("write the start")),
            ("Bash(cat:*.env*)", Some("move `:*`")),
            ("mcp__notes__list(x)", Some("write `mcp__notes__list`")),
            ("Write(.env*)", Some("write `Edit(.env*)`")),
            ("Grep(secrets/**)", Some("write `Read(secrets/**)`")),
        ] {
            let found = permission_flaw(rule);
            assert_eq!(found.is_some(), want.is_some(), "{rule}: {found:?}");
            assert!(found.is_none_or(|(_, help)| help.contains(want.unwrap_or_default())), "{rule}");
        }
    }
}
