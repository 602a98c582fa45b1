//! See `allowance_unknown_rule.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::suppression::{Suppression, SuppressionUsage};
use canonry_model::finding::{Fix, Location, Severity, TextEdit};

pub(super) static RULE: Rule = Rule {
    id: "allowance-unknown-rule",
    summary: "suppression comment names an unknown rule",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("allowance_unknown_rule.md"),
    check: Check::Suppression(check),
};

fn check(suppression: &Suppression, findings: &mut Vec<Finding>) {
    if suppression.rules.is_empty() {
        let finding = RULE.at(Location::at(&suppression.source, suppression.span), "the suppression names no rule");
        findings.push(finding.help("write it as `canonry: allow RULE reason`"));
    }
    for named in &suppression.rules {
        let SuppressionUsage::NoSuchRule(like) = named.usage else { continue };
        let message = format!("unknown rule `{}`", named.id);
        let finding = RULE.at(Location::at(&suppression.source, named.span), message);
        findings.push(match like {
            Some(like) => {
                let fix = Fix::unsafe_edits(format!("write `{like}`"), vec![TextEdit::new(named.span, like)]);
                finding.help(format!("did you mean `{like}`?")).fix(fix)
            }
            None => finding.help("run `canonry explain --list` to list the rules"),
        });
    }
}
