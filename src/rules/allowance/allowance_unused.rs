//! See `allowance_unused.md`.

use crate::canon::suppression::{Suppression, SuppressionScope, SuppressionUsage};
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "allowance-unused",
    summary: "a comment that allows a finding that is not there",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("allowance_unused.md"),
    check: Check::Suppression(check),
};

fn check(suppression: &Suppression, findings: &mut RawFindings) {
    for named in suppression.rules.iter().filter(|named| named.usage == SuppressionUsage::Unused) {
        let (message, help) = match suppression.reach {
            SuppressionScope::Nothing => (
                format!("the suppression of `{}` holds for nothing", named.id),
                "put it above what it allows, or `allow-file` above the first heading",
            ),
            SuppressionScope::File => {
                (format!("the file has no finding of `{}` to allow", named.id), "remove the suppression")
            }
            SuppressionScope::Lines(_) => (
                format!("there is no finding of `{}` here to allow", named.id),
                "remove the suppression, or move it to what it allows; a finding about a file as a whole needs `allow-file`",
            ),
        };
        findings.push(RawFinding::new(Location::at(&suppression.source, named.span), message).help(help));
    }
}
