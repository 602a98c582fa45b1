//! See `zero_width_character.md`.

use crate::finding::Severity;
use crate::rules::{Check, Defaults, Rule};

pub(super) static RULE: Rule = Rule {
    id: "zero-width-character",
    summary: "stray zero-width character",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("zero_width_character.md"),
    check: Check::FoundBy("hidden-unicode"),
};
