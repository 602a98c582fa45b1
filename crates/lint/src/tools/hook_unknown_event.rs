//! Part of `tool-file-schema`: hook for an event that the tool does not know.

use super::tool_file_schema::RULE;
use crate::Finding;
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::canon::tool_file::hooks::{HookDialect, events};
use canonry_model::config::closest_match;
use canonry_model::finding::Location;

pub(super) fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    for event in events(file) {
        let name = event.entry.key.as_str();
        if event.dialect.events.contains(&name) {
            continue;
        }
        let intended = intended(name, event.dialect);
        if intended.is_none() && !event.dialect.is_verified {
            continue;
        }
        let message = format!("{} has no event `{name}`, so this hook never runs", file.kind.reader_name());
        let finding = RULE.at(Location::at(source, event.entry.key_span), message);
        findings.push(finding.help(match intended {
            Some(intended) => format!("did you mean `{intended}`?"),
            None => format!("use one of: {}", event.dialect.events.join(", ")),
        }));
    }
}

/// The event that differs only in its spelling, or that another tool calls by this name.
fn intended(name: &str, dialect: &HookDialect) -> Option<&'static str> {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-'], "");
    let same = || dialect.events.iter().copied().find(|event| plain(event) == plain(name));
    let translated = || {
        let names = SAME_EVENTS.iter().find(|names| names.contains(&name))?;
        dialect.events.iter().copied().find(|event| names.contains(event))
    };
    same().or_else(translated).or_else(|| closest_match(name, dialect.events.iter().copied()))
}

/// The names of the same event in Claude Code, Gemini CLI and Cursor.
const SAME_EVENTS: [&[&str]; 6] = [
    &["PreToolUse", "BeforeTool", "preToolUse", "pre-tool"],
    &["PostToolUse", "AfterTool", "postToolUse", "post-tool"],
    &["Stop", "AfterAgent", "stop"],
    &["UserPromptSubmit", "BeforeAgent", "beforeSubmitPrompt", "prompt"],
    &["PreCompact", "PreCompress", "preCompact", "pre-compact"],
    &["SessionStart", "sessionStart", "session-start"],
];
