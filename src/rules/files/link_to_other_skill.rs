//! See `link_to_other_skill.md`.

use super::link_outside_skill::is_in_collection;
use super::links::{LinkTarget, document_links};
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "link-to-other-skill",
    summary: "link to a file of the collection around the skill",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("link_to_other_skill.md"),
    check: Check::Skill(check),
};

pub(super) const HELP: &str = "refer to another skill by its name, and say what to do without it";

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(source) = skill.source() else { return };
    let surroundings = &skill.surroundings;
    if skill.is_in_tool_folder() {
        return;
    }
    for link in document_links(skill) {
        let LinkTarget::Outside(Some(path)) = &link.target else { continue };
        let is_there = surroundings.existing.contains(path) && !surroundings.is_in_plugin(path);
        if is_there && !surroundings.is_reached_from_mirrors(path) && is_in_collection(skill, path) {
            let message = format!("`{}` is missing if this skill is installed without its collection", link.text);
            findings.push(link.finding(source, message).help(HELP));
        }
    }
}
