//! See `installer_piped_to_shell.md`.

use crate::finding::Severity;
use crate::rules::{Check, Defaults, Rule};

pub(super) static RULE: Rule = Rule {
    id: "installer-piped-to-shell",
    summary: "vendor's installer is piped to a shell",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("installer_piped_to_shell.md"),
    // `pipe-to-shell` finds them: one scan tells both apart.
    check: Check::Each(&[]),
};
