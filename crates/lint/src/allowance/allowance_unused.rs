//! See `allowance_unused.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::suppression::{Suppression, SuppressionScope, SuppressionUsage};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "allowance-unused",
    summary: "suppression comment without a matching finding",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("allowance_unused.md"),
    check: Check::Suppression(check),
};

fn check(suppression: &Suppression, findings: &mut Vec<Finding>) {
    for named in suppression.rules.iter().filter(|named| named.usage == SuppressionUsage::Unused) {
        let (message, help) = match suppression.scope {
            SuppressionScope::Nothing => (
                format!("the suppression of `{}` applies to nothing", named.id),
                "move it above the finding, or write `allow-file` above the first heading",
            ),
            SuppressionScope::File => (format!("the file has no finding of `{}`", named.id), "remove the suppression"),
            SuppressionScope::Lines(_) => (
                format!("no finding of `{}` here", named.id),
                "remove the suppression, or move it next to the finding; a finding about a whole file needs `allow-file`",
            ),
        };
        findings.push(RULE.at(Location::at(&suppression.source, named.span), message).help(help));
    }
}
