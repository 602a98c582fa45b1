//! Part of `path-not-portable`: control character in a file name.

use super::path_not_portable::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::Location;

const MESSAGE: &str = "the file name contains a control character, such as a newline; the file is not mirrored";

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    // The check of the outer skill covers the files of a nested one.
    if skill.folder.nested_in.is_some() {
        return;
    }
    for file in skill.folder.files.iter().filter(|file| file.path.has_control_bytes()) {
        findings.push(RULE.at(Location::file(&file.path), MESSAGE).help("rename the file"));
    }
}
