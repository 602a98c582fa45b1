//! See `mdc_unknown_key.md`.

use super::shared::{MDC_KEYS, meant};
use crate::canon::context_file::{ContextFile, CursorRuleHeader};
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mdc-unknown-key",
    summary: "a key of a Cursor rule that Cursor does not read",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("mdc_unknown_key.md"),
    check: Check::Context(check),
};

fn check(file: &ContextFile, drafts: &mut RawFindings) {
    let (Ok(source), Some(CursorRuleHeader::Lines(head))) = (&file.document, file.rule_head()) else { return };
    let is_unknown = |key: &str| !MDC_KEYS.contains(&key) && meant(key).is_none();
    for field in head.fields.iter().filter(|field| is_unknown(&field.key)) {
        let message = format!("Cursor does not read `{}`", field.key);
        let help = "Cursor reads `description`, `globs` and `alwaysApply`; what the agent is to know belongs below";
        drafts.push(RawFinding::new(Location::at(source, field.key_span), message).help(help));
    }
}
