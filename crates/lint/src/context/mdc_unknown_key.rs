//! Part of `mdc-frontmatter`: unknown key in a Cursor rule.

use super::mdc_frontmatter::RULE;
use crate::Finding;
use canonry_model::canon::context_file::{ContextFile, CursorRuleHeader};
use canonry_model::config::closest_match;
use canonry_model::finding::Location;

/// The keys that Cursor reads in a rule.
pub(super) const MDC_KEYS: [&str; 3] = ["description", "globs", "alwaysApply"];

/// The known key that a misspelled one most likely means.
pub(super) fn intended_key(key: &str) -> Option<&'static str> {
    closest_match(key, MDC_KEYS)
}

pub(super) fn check(file: &ContextFile, findings: &mut Vec<Finding>) {
    let (Ok(source), Some(CursorRuleHeader::Lines(head))) = (&file.document, file.cursor_rule_header()) else { return };
    let is_unknown = |key: &str| !MDC_KEYS.contains(&key) && intended_key(key).is_none();
    for field in head.fields.iter().filter(|field| is_unknown(&field.key)) {
        let message = format!("unknown key `{}`", field.key);
        let help =
            "Cursor reads only `description`, `globs` and `alwaysApply`; move instructions below the frontmatter";
        findings.push(RULE.at(Location::at(source, field.key_span), message).help(help));
    }
}
