//! See `allowance_without_reason.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::suppression::Suppression;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "allowance-without-reason",
    summary: "suppression comment without a reason",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("allowance_without_reason.md"),
    check: Check::Suppression(check),
};

fn check(suppression: &Suppression, findings: &mut Vec<Finding>) {
    if let Some(last) = suppression.rules.last().filter(|_| !suppression.has_reason) {
        let finding = RULE.at(Location::at(&suppression.source, suppression.span), "the suppression has no reason");
        findings.push(finding.help(format!("add a reason after `{}`", last.id)));
    }
}
