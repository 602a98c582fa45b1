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

fn check(allowance: &Suppression, drafts: &mut RawFindings) {
    for named in allowance.rules.iter().filter(|named| named.usage == SuppressionUsage::Unused) {
        let (message, help) = match allowance.reach {
            SuppressionScope::Nothing => (
                format!("the allowance of `{}` holds for nothing", named.id),
                "put it above what it allows, or `allow-file` above the first heading",
            ),
            SuppressionScope::File => {
                (format!("the file has no finding of `{}` to allow", named.id), "remove the allowance")
            }
            SuppressionScope::Lines(_) => (
                format!("there is no finding of `{}` here to allow", named.id),
                "remove the allowance, or move it to what it allows; a finding about a file as a whole needs `allow-file`",
            ),
        };
        drafts.push(RawFinding::new(Location::at(&allowance.source, named.span), message).help(help));
    }
}
