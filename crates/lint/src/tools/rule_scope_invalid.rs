//! Part of `tool-file-schema`: rule or instructions that the tool never applies.

use super::tool_file_schema::RULE;
use crate::Finding;
use canonry_model::canon::tool_file::{Role, ToolFile, ToolFileReader};
use canonry_model::finding::Location;
use canonry_text::node::Node;

/// A tool's decision when a rule applies.
struct Scope {
    /// The key for the mode, and its values.
    key: &'static str,
    modes: [&'static str; 4],
    /// The mode that needs patterns, and the key with the patterns.
    by_files: &'static str,
    patterns: &'static str,
}

/// Windsurf documentation, "Memories & Rules", activation modes (2026-11).
static WINDSURF: Scope = Scope {
    key: "trigger",
    modes: ["always_on", "glob", "model_decision", "manual"],
    by_files: "glob",
    patterns: "globs",
};
/// Kiro documentation, "Steering", inclusion modes (2026-11).
static KIRO: Scope = Scope {
    key: "inclusion",
    modes: ["always", "fileMatch", "manual", "auto"],
    by_files: "fileMatch",
    patterns: "fileMatchPattern",
};

/// The key with the patterns of `.instructions.md` files: VS Code documentation, "Use custom instructions" (2026-11).
const COPILOT_PATTERNS: &str = "applyTo";

pub(super) fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let scope = match file.kind.reader {
        ToolFileReader::Windsurf => &WINDSURF,
        ToolFileReader::Kiro => &KIRO,
        ToolFileReader::Copilot if file.kind.role == Role::Instructions => {
            findings.extend(misspelled_patterns(file));
            return;
        }
        _ => return,
    };
    let (Ok(source), Some(root)) = (&file.document, file.root()) else { return };
    let Some((node, mode)) = root.get(scope.key).and_then(|node| Some((node, node.as_scalar()?.text.trim()))) else {
        return;
    };
    let tool = file.kind.reader_name();
    let has_patterns = || {
        let is_filled = |node: &Node| !node.is_null() && node.as_str().is_none_or(|text| !text.trim().is_empty());
        root.get(scope.patterns).is_some_and(is_filled)
    };
    let (message, help) = if !scope.modes.contains(&mode) {
        (
            format!("{tool} does not know the `{}` `{mode}`", scope.key),
            format!("write one of `{}`", scope.modes.join("`, `")),
        )
    } else if mode == scope.by_files && !has_patterns() {
        (
            format!(
                "`{}: {mode}` without `{}` matches no file, so {tool} never applies the rule",
                scope.key, scope.patterns
            ),
            format!("add `{}`, such as `{}: \"**/*.ts\"`", scope.patterns, scope.patterns),
        )
    } else {
        return;
    };
    findings.push(RULE.at(Location::at(source, node.span), message).help(help));
}

/// A key of GitHub Copilot's instructions that differs from `applyTo` in case or by a separator.
fn misspelled_patterns(file: &ToolFile) -> Option<Finding> {
    let source = file.document.as_ref().ok()?;
    let mapping = file.root()?.as_mapping()?;
    let is_meant = |key: &str| key.replace(['-', '_', ' '], "").eq_ignore_ascii_case(COPILOT_PATTERNS);
    let entry = mapping.entries.iter().find(|entry| is_meant(&entry.key))?;
    (mapping.get(COPILOT_PATTERNS).is_none()).then(|| {
        let message = format!("{} does not know the key `{}`", file.kind.reader_name(), entry.key);
        RULE.at(Location::at(source, entry.key_span), message)
            .help(format!("write `{COPILOT_PATTERNS}`; without it, the instructions apply to no file by themselves"))
    })
}
