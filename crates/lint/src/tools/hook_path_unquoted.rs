//! See `hook_path_unquoted.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::tool_file::hooks::events;
use canonry_model::canon::tool_file::{FileFormat, ToolFile};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "hook-path-unquoted",
    summary: "folder in the command of a hook is not quoted",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("hook_path_unquoted.md"),
    check: Check::ToolFile(check),
};

/// Variables that Claude Code sets for hooks: folders whose path the author does not know.
const FOLDERS: [&str; 5] = [
    "${CLAUDE_PLUGIN_ROOT}",
    "$CLAUDE_PLUGIN_ROOT",
    "${CLAUDE_PROJECT_DIR}",
    "$CLAUDE_PROJECT_DIR",
    "${CLAUDE_PLUGIN_DATA}",
];

fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    for event in events(file) {
        for handler in event.handlers() {
            // With `args`, no shell splits the command.
            let command = handler.get("command").filter(|_| handler.get("args").is_none());
            let Some((node, text)) = command.and_then(|node| Some((node, node.as_str()?))) else { continue };
            let Some(folder) = FOLDERS.iter().find(|folder| is_unquoted(text, folder)) else { continue };
            let message = format!("`{folder}` is not quoted, so the hook fails if the path contains a space");
            let help = match file.kind.format {
                FileFormat::Markdown | FileFormat::Yaml => {
                    format!("put double quotes around the path that starts with `{folder}`")
                }
                _ => format!("write `\\\"{folder}\\\"` with double quotes around it"),
            };
            findings.push(RULE.at(Location::at(source, node.span), message).help(help));
        }
    }
}

/// Whether a variable occurs outside of double quotes. In an assignment, the shell does not split it.
fn is_unquoted(command: &str, variable: &str) -> bool {
    command.match_indices(variable).any(|(at, _)| {
        let before = &command[..at];
        before.matches('"').count().is_multiple_of(2)
            && before.matches('\'').count().is_multiple_of(2)
            && !before.ends_with('=')
    })
}

#[cfg(test)]
mod tests {
    use super::is_unquoted;

    #[test]
    fn quotes_count() {
        for (command, want) in [
            ("${ROOT}/sort.sh", true),
            ("python3 ${ROOT}/sort.py", true),
            ("\"${ROOT}/sort.sh\" x", false),
            ("\"${ROOT}\"/sort.sh", false),
            ("DIR=${ROOT} sort.sh", false),
            ("sort.sh", false),
        ] {
            assert_eq!(is_unquoted(command, "${ROOT}"), want, "{command}");
        }
    }
}
