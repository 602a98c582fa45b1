//! See `matcher_never_matches.md`.

use crate::canon::tool_file::hooks::events;
use crate::canon::tool_file::{Reader, Role, ToolFile};
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::Span;
use crate::syntax::node::Node;

pub(super) static RULE: Rule = Rule {
    id: "matcher-never-matches",
    summary: "matcher or permission that matches no tool",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("matcher_never_matches.md"),
    check: Check::ToolFile(check),
};

/// Tools of Claude Code 2.1 that matchers and permissions name.
const CLAUDE_TOOLS: [&str; 22] = [
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Edit",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "LS",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "PowerShell",
    "Read",
    "Skill",
    "SlashCommand",
    "Task",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
];
/// Tools of Gemini CLI 0.61.
const GEMINI_TOOLS: [&str; 13] = [
    "run_shell_command",
    "read_file",
    "read_many_files",
    "write_file",
    "replace",
    "glob",
    "grep_search",
    "search_file_content",
    "list_directory",
    "web_fetch",
    "google_web_search",
    "write_todos",
    "save_memory",
];

fn check(file: &ToolFile, findings: &mut RawFindings) {
    let Ok(source) = &file.document else { return };
    let mut push = |span: Span, message: String, help: String| {
        findings.push(RawFinding::new(Location::at(source, span), message).help(help));
    };
    for event in events(file).into_iter().filter(|event| event.is_about_tools()) {
        for matcher in event.groups().iter().filter_map(|group| group.get("matcher")) {
            let Some(text) = matcher.as_str() else { continue };
            if let Some((message, help)) = flaw(text, tools(file)) {
                push(matcher.span, message, help);
            }
        }
    }
    if (file.kind.reader, file.kind.role) != (Reader::Claude, Role::Settings) {
        return;
    }
    let permissions = file.root().and_then(|root| root.get("permissions"));
    for list in ["allow", "deny", "ask"] {
        let rules = permissions.and_then(|permissions| permissions.get(list)?.as_sequence()).unwrap_or_default();
        for (node, text) in rules.iter().filter_map(|node: &Node| Some((node, node.as_str()?))) {
            let name = text.split('(').next().unwrap_or_default();
            if let Some(tool) = other_case(name, &CLAUDE_TOOLS) {
                push(
                    node.span,
                    format!("the rule `{text}` matches no tool"),
                    format!("tool names are case-sensitive; write `{tool}`"),
                );
            }
        }
    }
}

fn tools(file: &ToolFile) -> &'static [&'static str] {
    if file.kind.reader == Reader::Gemini { &GEMINI_TOOLS } else { &CLAUDE_TOOLS }
}

/// The tool whose name differs only in case.
fn other_case(name: &str, tools: &[&'static str]) -> Option<&'static str> {
    let same = tools.iter().copied().find(|tool| tool.eq_ignore_ascii_case(name));
    same.filter(|tool| *tool != name)
}

fn flaw(matcher: &str, tools: &[&'static str]) -> Option<(String, String)> {
    if let Some((tool, _)) =
        matcher.split_once('(').filter(|(tool, rest)| CLAUDE_TOOLS.contains(tool) && rest.ends_with(')'))
    {
        let message =
            format!("the matcher `{matcher}` is compared with names of tools, and no name contains a command");
        return Some((message, format!("write `{tool}`, and check the command in the hook itself or with `if`")));
    }
    if !is_balanced(matcher) {
        let message = format!("the matcher `{matcher}` is not a valid regular expression");
        return Some((message, "close every bracket and parenthesis; separate names of tools by `|`".to_owned()));
    }
    let wrong = matcher.split('|').map(str::trim).find_map(|name| Some((name, other_case(name, tools)?)));
    if let Some((name, tool)) = wrong {
        let message = format!("`{name}` in the matcher matches no tool");
        return Some((message, format!("tool names are case-sensitive; write `{tool}`")));
    }
    None
}

/// Whether every bracket of a regular expression is closed.
fn is_balanced(pattern: &str) -> bool {
    let (mut depth, mut in_class, mut chars) = (0_i32, false, pattern.chars());
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
            ("Bash(git *)", true),
            ("(Edit|Write", true),
            ("\\(", false),
            ("[a", true),
            ("MyTool", false),
        ] {
            assert_eq!(flaw(matcher, &CLAUDE_TOOLS).is_some(), is_wrong, "{matcher}");
        }
    }
}
