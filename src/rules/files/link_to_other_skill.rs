//! See `link_to_other_skill.md`.

use super::links::{LinkTarget, SkillLinks};
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::RepoPath;

pub(super) static RULE: Rule = Rule {
    id: "link-to-other-skill",
    summary: "link to a file of the collection around the skill",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("link_to_other_skill.md"),
    check: Check::SkillLinks(check),
};

pub(super) const HELP: &str = "refer to another skill by its name, and say what to do without it";

fn check(SkillLinks { skill, links }: &SkillLinks<'_>, findings: &mut RawFindings) {
    let Some(source) = skill.source() else { return };
    let surroundings = &skill.surroundings;
    if skill.is_in_tool_folder() {
        return;
    }
    for link in links {
        let LinkTarget::Outside(Some(path)) = &link.target else { continue };
        let is_there = surroundings.existing.contains(path) && !surroundings.is_in_plugin(path);
        if is_there && !surroundings.is_reached_from_mirrors(path) && is_in_collection(skill, path) {
            let message = format!("`{}` is missing if this skill is installed without its collection", link.text);
            findings.push(link.finding(source, message).help(HELP));
        }
    }
}

/// Whether a path is in a folder next to the skill's: another skill of the same collection, or files that they share.
pub(super) fn is_in_collection(skill: &Skill, path: &RepoPath) -> bool {
    let collection = skill.folder.path.parent().filter(|parent| !parent.is_empty());
    collection.is_some_and(|collection| path.parent().is_some_and(|at| at.is_within(&collection) && at != collection))
}
