//! See `allowance_unused.md`.

use crate::canon::allowance::{Allowance, Reach, Usage};
use crate::finding::{Draft, Place, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "allowance-unused",
    summary: "a comment that allows a finding that is not there",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("allowance_unused.md"),
    check: Check::Allowance(check),
};

fn check(allowance: &Allowance, drafts: &mut Drafts) {
    for named in allowance.rules.iter().filter(|named| named.usage == Usage::Unused) {
        let (message, help) = match allowance.reach {
            Reach::Nothing => (
                format!("the allowance of `{}` holds for nothing", named.id),
                "put it above what it allows, or `allow-file` above the first heading",
            ),
            Reach::File => (format!("the file has no finding of `{}` to allow", named.id), "remove the allowance"),
            Reach::Lines(_) => (
                format!("there is no finding of `{}` here to allow", named.id),
                "remove the allowance, or move it to what it allows; a finding about a file as a whole needs `allow-file`",
            ),
        };
        drafts.push(Draft::new(Place::at(&allowance.source, named.span), message).help(help));
    }
}
