//! See `mdc_quoted_globs.md`.

use crate::canon::context_file::{ContextFile, RuleHead};
use crate::finding::{Draft, Place, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mdc-quoted-globs",
    summary: "patterns of a Cursor rule in quotes, which Cursor takes for a part of them",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("mdc_quoted_globs.md"),
    check: Check::Context(check),
};

fn check(file: &ContextFile, drafts: &mut Drafts) {
    let (Ok(source), Some(RuleHead::Lines(head))) = (&file.document, file.rule_head()) else { return };
    let Some(globs) = head.get("globs") else { return };
    let inner = ['"', '\''].iter().find_map(|quote| globs.value.strip_prefix(*quote)?.strip_suffix(*quote));
    if let Some(inner) = inner.filter(|inner| !inner.is_empty()) {
        let message = "the patterns stand in quotes, which Cursor takes for a part of them";
        let help = format!("write `globs: {inner}`; the value need not be valid YAML");
        drafts.push(Draft::new(Place::at(source, globs.value_span), message).help(help));
    }
}
