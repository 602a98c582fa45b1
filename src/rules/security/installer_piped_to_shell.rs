//! See `installer_piped_to_shell.md`.

use crate::finding::Severity;
use crate::rules::{Check, Defaults, Rule};

pub(super) static RULE: Rule = Rule {
    id: "installer-piped-to-shell",
    summary: "vendor's installer is piped to a shell",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("installer_piped_to_shell.md"),
    check: Check::FoundBy("pipe-to-shell"),
};
