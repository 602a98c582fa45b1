//! See `path_control_character.md`.

use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "path-control-character",
    summary: "a file name with a newline or another control character",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("path_control_character.md"),
    check: Check::Skill(check),
};

const MESSAGE: &str = "the file's name holds a control character, such as a newline: it will not be mirrored";

fn check(skill: &Skill, findings: &mut RawFindings) {
    // The files of a nested skill are also files of the skill around it, which is judged as well.
    if skill.folder.nested_in.is_some() {
        return;
    }
    for file in skill.folder.files.iter().filter(|file| file.path.has_control_bytes()) {
        findings.push(RawFinding::new(Location::file(&file.path), MESSAGE).help("rename the file"));
    }
}
