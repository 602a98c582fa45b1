//! Part of `symlink-outside-skill`: symbolic link out of the repository.

use super::symlink_outside_skill::RULE;
use crate::Finding;
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::Location;

const HELP: &str = "replace the link with the file itself, or remove it";

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    // The check of the outer skill covers the files of a nested one.
    if skill.folder.nested_in.is_some() {
        return;
    }
    // A `SKILL.md` that is such a link is reported by `file-unreadable`.
    // One with an absolute target is reported by `symlink-absolute`.
    let leads_out = skill.links.iter().filter(|link| link.resolved.is_none() && !link.target.starts_with('/'));
    for link in leads_out.filter(|link| !is_skill_document(&link.path)) {
        let message = format!("the link target `{}` is outside the repository; the link is not mirrored", link.target);
        findings.push(RULE.at(Location::file(&link.path), message).help(HELP));
    }
}
