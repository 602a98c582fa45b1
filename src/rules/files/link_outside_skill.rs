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
    let surroundings = &skill.surroundings;
    for link in document_links(skill) {
        let LinkTarget::Outside(path) = &link.target else { continue };
        let is_there = path.as_ref().is_some_and(|path| surroundings.existing.contains(path));
        // A skill of the repository itself is used where it is.
        if is_there && skill.is_in_tool_folder() {
            continue;
        }
        if path.as_ref().is_some_and(|path| surroundings.is_reached_from_mirrors(path)) {
            continue;
        }
        // A plugin is installed as a whole.
        if is_there && path.as_ref().is_some_and(|path| surroundings.is_in_plugin(path)) {
            continue;
        }
        let (message, help) = match (is_there, path) {
            (true, _) => {
                (format!("`{}` is outside the skill and missing where the skill is copied to", link.text), HELP)
            }
            (false, Some(_)) => (
                format!("`{}` does not exist, and leads out of the skill", link.text),
                "correct the path or remove the link; copy required files into this skill",
            ),
            (false, None) => (format!("`{}` leads out of the repository", link.text), HELP),
        };
        findings.push(link.finding(source, message).help(help));
    }
}
