//! See `mdc_never_applies.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::context_file::{ContextFile, CursorRuleHeader};
use canonry_model::finding::{Location, Severity};
use canonry_text::mdc::MdcHeader;

pub(super) static RULE: Rule = Rule {
    id: "mdc-never-applies",
    summary: "Cursor rule never applies by itself",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("mdc_never_applies.md"),
    check: Check::Context(check),
};

fn check(file: &ContextFile, findings: &mut Vec<Finding>) {
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
