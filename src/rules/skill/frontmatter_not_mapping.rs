//! See `frontmatter_not_mapping.md`.

use super::fields;
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "frontmatter-not-mapping",
    summary: "frontmatter that is no mapping of keys to values",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("frontmatter_not_mapping.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let (Some(source), Some(root)) = (skill.source(), skill.front().and_then(|front| front.root())) else { return };
    // An empty frontmatter lacks its required keys, which is what is said of it.
    if root.as_mapping().is_some() || root.is_null() {
        return;
    }
    let message = format!("the frontmatter is {}, not a mapping", fields::describe(root));
    findings.push(RawFinding::new(Location::at(source, root.span), message).help("write one `key: value` a line"));
}
