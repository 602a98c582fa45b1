//! See `link_outside_skill.md`.

use super::links::{LinkTarget, document_links};
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "link-outside-skill",
    summary: "link out of the skill's directory",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("link_outside_skill.md"),
    check: Check::Skill(check),
};

const HELP: &str = "refer to another skill by its name, and copy required files into this skill";

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(source) = skill.source() else { return };
    for link in document_links(skill).iter().filter(|link| link.target == LinkTarget::Outside) {
        let message = format!("`{}` is outside the skill and missing from its mirrors", link.text);
        findings.push(link.finding(source, message).help(HELP));
    }
}
