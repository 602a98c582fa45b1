//! See `symlink_outside_skill.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::RepoPath;

pub(super) static RULE: Rule = Rule {
    id: "symlink-outside-skill",
    summary: "symbolic link out of the skill's directory or the repository",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("symlink_outside_skill.md"),
    check: Check::Each(&[
        Check::Skill(check),
        Check::At(Defaults { team: Severity::Error, spec: Severity::Warning }, &Check::Skill(check_repository)),
    ]),
};

const HELP: &str = "replace the link with a copy of the file, so that the skill is self-contained";

const REPOSITORY_HELP: &str = "replace the link with the file itself, or remove it";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    // The check of the outer skill covers the files of a nested one.
    if skill.folder.nested_in.is_some() {
        return;
    }
    // A skill of the repository itself is used where it is, and a plugin is installed as a whole.
    if skill.is_in_tool_folder() {
        return;
    }
    let is_outside = |to: &RepoPath| !to.is_within(&skill.folder.path) && !skill.surroundings.is_in_plugin(to);
    for link in skill.links.iter().filter(|link| link.resolved.as_ref().is_some_and(is_outside)) {
        let message = format!("the link target `{}` is outside the skill's directory", link.target);
        let finding = RULE.at(Location::file(&link.path), message).help(HELP);
        // Several skills often share the files of one.
        let place = link.resolved.as_ref().and_then(RepoPath::parent).unwrap_or_default();
        findings.push(finding.caused_by(place.to_string(), ("link to this place", "links to this place")));
    }
}

/// Symbolic link out of the repository.
fn check_repository(skill: &Skill, findings: &mut Vec<Finding>) {
    // The check of the outer skill covers the files of a nested one.
    if skill.folder.nested_in.is_some() {
        return;
    }
    // A `SKILL.md` that is such a link is reported by `file-unreadable`.
    // One with an absolute target is reported by `symlink-absolute`.
    let leads_out = skill.links.iter().filter(|link| link.resolved.is_none() && !link.target.starts_with('/'));
    for link in leads_out.filter(|link| !is_skill_document(&link.path)) {
        let message = format!("the link target `{}` is outside the repository; the link is not mirrored", link.target);
        findings.push(RULE.at(Location::file(&link.path), message).help(REPOSITORY_HELP));
    }
}
