//! See `duplicate_key.md`.

use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "duplicate-key",
    summary: "duplicate key in the frontmatter",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("duplicate_key.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    let Ok(document) = &front.yaml else { return };
    for duplicate in &document.duplicates {
        let message = format!("duplicate key `{}`", duplicate.key);
        let first = Location::at(source, duplicate.first);
        let finding = RawFinding::new(Location::at(source, duplicate.span), message).help("remove one of them");
        findings.push(finding.related(first, "first defined here"));
    }
}
