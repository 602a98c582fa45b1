//! See `link_outside_skill.md`.

use super::link_to_other_skill::{self, is_in_collection};
use super::links::{LinkTarget, SkillLinks};
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "link-outside-skill",
    summary: "link out of the skill's directory",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("link_outside_skill.md"),
    check: Check::SkillLinks(check),
};

const HELP: &str = "refer to another skill by its name, and copy required files into this skill";

fn check(SkillLinks { skill, links }: &SkillLinks<'_>, findings: &mut RawFindings) {
    let Some(source) = skill.source() else { return };
    let surroundings = &skill.surroundings;
    for link in links {
        let LinkTarget::Outside(path) = &link.target else { continue };
        if surroundings.from_stored_document.contains(link.text) {
            continue;
        }
        let is_there = path.as_ref().is_some_and(|path| surroundings.existing.contains(path));
        let is_in_tool_home = || {
            surroundings.tool_home.as_ref().is_some_and(|home| path.as_ref().is_some_and(|path| path.is_within(home)))
        };
        // A skill of the repository itself, or of a folder that is linked as a whole, is used where it is.
        if is_there && (skill.is_used_in_place() || is_in_tool_home()) {
            continue;
        }
        if path.as_ref().is_some_and(|path| surroundings.is_reached_from_mirrors(path)) {
            continue;
        }
        // A plugin is installed as a whole.
        if is_there && path.as_ref().is_some_and(|path| surroundings.is_in_plugin(path)) {
            continue;
        }
        // Reported by `link-to-other-skill`.
        if is_there && path.as_ref().is_some_and(|path| is_in_collection(skill, path)) {
            continue;
        }
        if is_there && !surroundings.is_copied {
            let message = format!("`{}` is missing if this skill is installed without its repository", link.text);
            let finding = link.finding(source, message).help(link_to_other_skill::HELP);
            let finding =
                finding.caused_by(source.path().to_string(), ("link out of the skill", "links out of the skill"));
            findings.push(finding.for_rule(link_to_other_skill::RULE.id));
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
        let finding = link.finding(source, message).help(help);
        // A skill that relies on files of its repository has one defect, however many they are.
        findings.push(match is_there {
            true => finding.caused_by(source.path().to_string(), ("link out of the skill", "links out of the skill")),
            false => finding,
        });
    }
}
