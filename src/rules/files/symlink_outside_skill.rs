//! See `symlink_outside_skill.md`.

use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "symlink-outside-skill",
    summary: "a symbolic link among a skill's files that leads out of the skill's folder",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("symlink_outside_skill.md"),
    check: Check::Skill(check),
};

const HELP: &str = "put a copy of the file in the link's place, so that the skill is whole by itself";

fn check(skill: &Skill, findings: &mut RawFindings) {
    // The files of a nested skill are also files of the skill around it, which is judged as well.
    if skill.folder.nested_in.is_some() {
        return;
    }
    let leaves = |to: &crate::syntax::RepoPath| !to.is_within(&skill.folder.path);
    for link in skill.links.iter().filter(|link| link.resolved.as_ref().is_some_and(leaves)) {
        let message = format!("this link leads to `{}`, out of the skill's folder", link.target);
        findings.push(RawFinding::new(Location::file(&link.path), message).help(HELP));
    }
}
