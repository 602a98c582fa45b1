//! See `link_outside_skill.md`.

use super::target::{Target, targets};
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "link-outside-skill",
    summary: "a link that leads out of the skill's folder",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("link_outside_skill.md"),
    check: Check::Skill(check),
};

const HELP: &str = "name another skill by its name; copy what this one needs into its own folder";

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(source) = skill.source() else { return };
    for named in targets(skill).iter().filter(|named| named.target == Target::Outside) {
        let message =
            format!("`{}` leads out of the skill's folder: a mirror of the skill does not hold it", named.text);
        findings.push(named.finding(source, message).help(HELP));
    }
}
