//! See `allowance_without_reason.md`.

use crate::canon::allowance::Allowance;
use crate::finding::{Draft, Place, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "allowance-without-reason",
    summary: "a comment that allows something and does not say why",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("allowance_without_reason.md"),
    check: Check::Allowance(check),
};

fn check(allowance: &Allowance, drafts: &mut Drafts) {
    if let Some(last) = allowance.rules.last().filter(|_| !allowance.has_reason) {
        let draft = Draft::new(Place::at(&allowance.source, allowance.span), "the allowance does not say why");
        drafts.push(draft.help(format!("write the reason behind `{}`", last.id)));
    }
}
