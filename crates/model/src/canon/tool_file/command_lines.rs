//! The command lines in a tool file: of hooks, MCP servers, status lines and helpers.

use super::ToolFile;
use super::kind::{FileFormat, Role};
use crate::tools::hook_form::COPILOT;
use canonry_text::Span;
use canonry_text::node::{Node, NodeValue};

/// A command line that the tool runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    pub text: String,
    /// The value with the command.
    pub span: Span,
}

/// Keys whose values are commands, besides those of hooks.
const COMMAND_KEYS: [&str; 10] = [
    // Claude Code: <https://code.claude.com/docs/en/settings>.
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "gcpAuthRefresh",
    "otelHeadersHelper",
    // Codex: <https://developers.openai.com/codex/config-reference>.
    "notify",
    // Gemini CLI: <https://geminicli.com/docs/reference/configuration/>.
    "discoveryCommand",
    "callCommand",
    "toolDiscoveryCommand",
    "toolCallCommand",
];

/// The command lines in a file, in its order.
pub fn command_lines(file: &ToolFile) -> Vec<CommandLine> {
    let mut found = Vec::new();
    let Some(root) = file.root() else { return found };
    collect(root, &mut found);
    // Gemini CLI runs `!{…}` in the prompt of a command.
    if (file.kind.role, file.kind.format) == (Role::Command, FileFormat::Toml)
        && let Some(prompt) = root.get("prompt")
    {
        let commands = prompt.as_str().unwrap_or_default().split("!{").skip(1);
        found.extend(commands.map(|rest| CommandLine { text: until_closed(rest).to_owned(), span: prompt.span }));
    }
    found
}

fn collect(node: &Node, found: &mut Vec<CommandLine>) {
    match &node.value {
        NodeValue::Scalar(_) => {}
        NodeValue::Sequence(items) => items.iter().for_each(|item| collect(item, found)),
        NodeValue::Mapping(mapping) => {
            for entry in &mapping.entries {
                let key = entry.key.as_str();
                if (COPILOT.command_keys.contains(&key) || COMMAND_KEYS.contains(&key))
                    && let Some(text) = line(&entry.value, mapping.get("args").map(|args| &args.value))
                {
                    found.push(CommandLine { text, span: entry.value.span });
                }
                collect(&entry.value, found);
            }
        }
    }
}

/// The command line of a value, which is a text, or a program with its arguments.
fn line(value: &Node, args: Option<&Node>) -> Option<String> {
    let words = |node: &Node| -> Vec<String> {
        node.as_sequence().unwrap_or_default().iter().filter_map(Node::as_str).map(quoted).collect()
    };
    let args = args.map(words).unwrap_or_default();
    let mut line = match value.as_str() {
        Some(text) => vec![text.to_owned()],
        None => words(value),
    };
    line.extend(args);
    (!line.is_empty()).then(|| line.join(" "))
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The text up to the brace that closes one before it.
fn until_closed(text: &str) -> &str {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::json;

    #[test]
    fn commands_are_found_at_any_depth() {
        let text = r#"{"hooks": {"Stop": [{"hooks": [{"command": "a | b"}]}]},
            "mcpServers": {"x": {"command": "sh", "args": ["-c", "it's"]}, "y": {"command": ["npx", "y z"]}},
            "permissions": {"deny": ["Bash(curl * | sh)"]}, "notify": ["say", "hi"], "command": 3}"#;
        let mut found = Vec::new();
        collect(&json::parse(text, 0).unwrap().root, &mut found);
        let lines: Vec<&str> = found.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(lines, ["a | b", "sh '-c' 'it'\\''s'", "'npx' 'y z'", "'say' 'hi'"]);
    }

    #[test]
    fn braces_in_a_command_belong_to_it() {
        assert_eq!(until_closed("awk '{print}' x} and"), "awk '{print}' x");
        assert_eq!(until_closed("ls"), "ls");
    }
}
