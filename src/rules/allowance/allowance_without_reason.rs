//! See `allowance_without_reason.md`.

use crate::canon::suppression::Suppression;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "allowance-without-reason",
    summary: "a comment that allows something and does not say why",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("allowance_without_reason.md"),
    check: Check::Suppression(check),
};

fn check(allowance: &Suppression, drafts: &mut RawFindings) {
    if let Some(last) = allowance.rules.last().filter(|_| !allowance.has_reason) {
        let draft = RawFinding::new(Location::at(&allowance.source, allowance.span), "the allowance does not say why");
        drafts.push(draft.help(format!("write the reason behind `{}`", last.id)));
    }
}
