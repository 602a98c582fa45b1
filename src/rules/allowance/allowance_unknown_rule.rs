//! See `allowance_unknown_rule.md`.

use crate::canon::suppression::{Suppression, SuppressionUsage};
use crate::finding::{Fix, Location, RawFinding, Severity, TextEdit};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "allowance-unknown-rule",
    summary: "a comment that allows a rule that does not exist",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("allowance_unknown_rule.md"),
    check: Check::Suppression(check),
};

fn check(allowance: &Suppression, drafts: &mut RawFindings) {
    if allowance.rules.is_empty() {
        let draft =
            RawFinding::new(Location::at(&allowance.source, allowance.span), "the comment names no rule to allow");
        drafts.push(draft.help("write it as `canonry: allow RULE reason`"));
    }
    for named in &allowance.rules {
        let SuppressionUsage::NoSuchRule(like) = named.usage else { continue };
        let message = format!("there is no rule `{}` to allow", named.id);
        let draft = RawFinding::new(Location::at(&allowance.source, named.span), message);
        drafts.push(match like {
            Some(like) => {
                let fix = Fix::unsafely(format!("write `{like}`"), vec![TextEdit::new(named.span, like)]);
                draft.help(format!("did you mean `{like}`?")).fix(fix)
            }
            None => draft.help("`canonry explain --list` names the rules"),
        });
    }
}
