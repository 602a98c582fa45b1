//! See `path_not_portable.md`.

use crate::{Check, Defaults, Finding, Rule};
use bstr::ByteSlice;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::RepoPath;
use canonry_text::path::UnportableName;
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    id: "path-not-portable",
    summary: "file name with a control character, or invalid on Windows",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("path_not_portable.md"),
    check: Check::Each(&[
        Check::Skill(check),
        Check::At(Defaults { team: Severity::Error, spec: Severity::Warning }, &Check::Skill(check_control_characters)),
    ]),
};

const CONTROL_MESSAGE: &str = "the file name contains a control character, such as a newline; the file is not mirrored";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    // The check of the outer skill covers the files of a nested one.
    if skill.folder.nested_in.is_some() {
        return;
    }
    // Other rules check the name of the skill's directory.
    let above = &skill.folder.path;
    let mut reported: BTreeSet<RepoPath> = BTreeSet::new();
    for file in &skill.folder.files {
        let mut here = above.clone();
        for name in file.path.below(above).unwrap_or_default().split_str("/") {
            here = here.join(name);
            // A directory is reported once, at its first file.
            if let Some(found) = UnportableName::detect(name.as_bstr()).filter(|_| reported.insert(here.clone())) {
                let message =
                    format!("`{}` is not a valid file name on Windows: {}", here.file_name_lossy(), reason(found));
                findings
                    .push(RULE.at(Location::file(&file.path), message).help("rename it and update references to it"));
            }
        }
    }
}

fn reason(found: UnportableName) -> String {
    match found {
        UnportableName::Device => "it is the name of a device, with any extension".to_owned(),
        UnportableName::End => "Windows removes a dot or a space at the end of a name".to_owned(),
        UnportableName::Character(character) => format!("names must not contain `{character}`"),
    }
}

/// Control character in a file name.
fn check_control_characters(skill: &Skill, findings: &mut Vec<Finding>) {
    // The check of the outer skill covers the files of a nested one.
    if skill.folder.nested_in.is_some() {
        return;
    }
    for file in skill.folder.files.iter().filter(|file| file.path.has_control_bytes()) {
        findings.push(RULE.at(Location::file(&file.path), CONTROL_MESSAGE).help("rename the file"));
    }
}
