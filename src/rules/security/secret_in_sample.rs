//! See `secret_in_sample.md`.

use crate::finding::Severity;
use crate::rules::{Check, Defaults, Rule};

pub(super) static RULE: Rule = Rule {
    id: "secret-in-sample",
    summary: "token in a sample",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("secret_in_sample.md"),
    check: Check::FoundBy("secret"),
};

pub(super) const HELP: &str = "if it was ever valid, revoke it; then write a placeholder such as `<token>`";
