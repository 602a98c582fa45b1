//! Part of `mdc-frontmatter`: `globs` of a Cursor rule is quoted or a YAML list.

use super::mdc_frontmatter::RULE;
use crate::Finding;
use canonry_model::canon::context_file::{ContextFile, CursorRuleHeader};
use canonry_model::finding::Location;

pub(super) fn check(file: &ContextFile, findings: &mut Vec<Finding>) {
    let (Ok(source), Some(CursorRuleHeader::Lines(head))) = (&file.document, file.cursor_rule_header()) else { return };
    let Some(globs) = head.get("globs").filter(|globs| !globs.is_empty()) else { return };
    // A rule that always applies needs no patterns.
    if head.get("alwaysApply").is_some_and(|always| always.value.eq_ignore_ascii_case("true")) {
        return;
    }
    if globs.value.is_empty() {
        let items: Vec<&str> = globs.items.iter().map(|item| unquoted(item).unwrap_or(item)).collect();
        let message = "the patterns are a YAML list, which Cursor does not read";
        let help = format!("write `globs: {}`", items.join(", "));
        findings.push(RULE.at(Location::at(source, globs.key_span), message).help(help));
    } else if let Some(inner) = unquoted(&globs.value) {
        let message = "the patterns are quoted, and Cursor reads the quotes as part of the patterns";
        let help = format!("write `globs: {inner}`; the value need not be valid YAML");
        findings.push(RULE.at(Location::at(source, globs.value_span), message).help(help));
    }
}

fn unquoted(value: &str) -> Option<&str> {
    ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
}
