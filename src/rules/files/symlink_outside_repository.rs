//! See `symlink_outside_repository.md`.

use crate::canon::inventory::is_skill_document;
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "symlink-outside-repository",
    summary: "a symbolic link among a skill's files that leaves the repository",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("symlink_outside_repository.md"),
    check: Check::Skill(check),
};

const HELP: &str = "put the file itself in the link's place, or remove the link";

fn check(skill: &Skill, findings: &mut RawFindings) {
    // The files of a nested skill are also files of the skill around it, which is judged as well.
    if skill.folder.nested_in.is_some() {
        return;
    }
    // A `SKILL.md` that cannot be read for this reason is reported as that.
    for link in skill.links.iter().filter(|link| link.resolved.is_none() && !is_skill_document(&link.path)) {
        let message = format!("this link leads to `{}`, outside the repository: it will not be mirrored", link.target);
        findings.push(RawFinding::new(Location::file(&link.path), message).help(HELP));
    }
}
