//! See `path_not_portable.md`.

use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::RepoPath;
use crate::syntax::portable::UnportableName;
use gix::bstr::ByteSlice;
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    id: "path-not-portable",
    summary: "a name that Windows cannot check out: a device, a dot or a space at its end, `<>:\"|?*\\`",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("path_not_portable.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    // The files of a nested skill are also files of the skill around it, which is judged as well.
    if skill.folder.nested_in.is_some() {
        return;
    }
    // The skill's own name is judged by other rules.
    let above = &skill.folder.path;
    let mut told: BTreeSet<RepoPath> = BTreeSet::new();
    for file in &skill.folder.files {
        let mut here = above.clone();
        for name in file.path.below(above).unwrap_or_default().split_str("/") {
            here = here.join(name);
            // A folder is told once, at the first file in it.
            if let Some(found) = UnportableName::detect(name.as_bstr()).filter(|_| told.insert(here.clone())) {
                let message = format!("`{}` cannot stand on Windows: {}", here.file_name_lossy(), reason(found));
                findings.push(
                    RawFinding::new(Location::file(&file.path), message).help("rename it, and what refers to it"),
                );
            }
        }
    }
}

fn reason(found: UnportableName) -> String {
    match found {
        UnportableName::Device => "it is the name of a device there, whatever its ending".to_owned(),
        UnportableName::End => "a dot or a space at the end of a name is dropped there".to_owned(),
        UnportableName::Character(character) => format!("no name may hold `{character}` there"),
    }
}
