//! See `path_control_character.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "path-control-character",
    summary: "control character in a file name",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("path_control_character.md"),
    check: Check::Skill(check),
};

const MESSAGE: &str = "the file name contains a control character, such as a newline; the file is not mirrored";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    // The check of the outer skill covers the files of a nested one.
    if skill.folder.nested_in.is_some() {
        return;
    }
    for file in skill.folder.files.iter().filter(|file| file.path.has_control_bytes()) {
        findings.push(RULE.at(Location::file(&file.path), MESSAGE).help("rename the file"));
    }
}
