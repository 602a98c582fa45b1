//! Part of `tool-file-schema`: rule or instructions that the tool never applies.

use super::tool_file_schema::RULE;
use crate::Finding;
use canonry_agents::rule_header::{COPILOT_PATTERNS, INCLUSIONS, TRIGGERS};
use canonry_model::canon::rule_scope::RuleMode;
use canonry_model::canon::tool_file::{Role, ToolFile};
use canonry_model::config::ToolRow;
use canonry_model::finding::Location;
use canonry_model::tools::tool_formats::RuleHeader;
use canonry_text::node::Node;

pub(super) fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    if file.kind.role != Role::Instructions {
        return;
    }
    let modes = match file.kind.reader.row().and_then(ToolRow::rule_folder).map(|(_, folder)| folder.header) {
        Some(RuleHeader::Trigger) => &TRIGGERS,
        Some(RuleHeader::Kiro) => &INCLUSIONS,
        Some(RuleHeader::Copilot) => {
            findings.extend(misspelled_patterns(file));
            return;
        }
        _ => return,
    };
    let (Ok(source), Some(root)) = (&file.document, file.root()) else { return };
    let Some((node, mode)) = root.get(modes.key).and_then(|node| Some((node, node.as_scalar()?.text.trim()))) else {
        return;
    };
    let tool = file.kind.reader_name();
    let has_patterns = || {
        let is_filled = |node: &Node| !node.is_null() && node.as_str().is_none_or(|text| !text.trim().is_empty());
        root.get(modes.patterns).is_some_and(is_filled)
    };
    let (message, help) = if !modes.names.contains(&mode) {
        (
            format!("{tool} does not know the `{}` `{mode}`", modes.key),
            format!("write one of `{}`", modes.names.join("`, `")),
        )
    } else if mode == modes.name(RuleMode::Files) && !has_patterns() {
        (
            format!(
                "`{}: {mode}` without `{}` matches no file, so {tool} never applies the rule",
                modes.key, modes.patterns
            ),
            format!("add `{}`, such as `{}: \"**/*.ts\"`", modes.patterns, modes.patterns),
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
