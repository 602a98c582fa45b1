//! See `mentioned_file_missing.md`.

use crate::finding::Severity;
use crate::rules::{Check, Defaults, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mentioned-file-missing",
    summary: "sentence names a file that does not exist",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("mentioned_file_missing.md"),
    check: Check::FoundBy("broken-link"),
};

pub(super) const HELP: &str =
    "if the skill should have this file, add it; if the skill writes it, write it outside of the skill's folder";
