//! Part of `mdc-frontmatter`: Cursor rule never applies by itself.

use super::mdc_frontmatter::RULE;
use crate::Finding;
use canonry_model::canon::context_file::{ContextFile, CursorRuleHeader};
use canonry_model::finding::Location;
use canonry_text::mdc::MdcHeader;

pub(super) fn check(file: &ContextFile, findings: &mut Vec<Finding>) {
    let head = match file.cursor_rule_header() {
        Some(CursorRuleHeader::Lines(head)) => head,
        Some(CursorRuleHeader::None) => MdcHeader::default(),
        _ => return,
    };
    let has = |key: &str| head.get(key).is_some_and(|field| !field.is_empty());
    let always = head.get("alwaysApply").is_some_and(|field| field.value.to_lowercase().contains("true"));
    if always || has("description") || has("globs") {
        return;
    }
    let message = "the rule has neither `description` nor `globs` and does not always apply, so Cursor only reads it when \
                   a user mentions it with `@`";
    let help = "add a `description`, set `globs`, or set `alwaysApply: true`";
    findings.push(RULE.at(Location::file(&file.path), message).help(help));
}
