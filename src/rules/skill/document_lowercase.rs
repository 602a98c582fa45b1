//! Part of `document-case`: `skill.md` in lower case.

use super::document_case::{rename_fix, rename_help};
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding};
use crate::rules::RawFindings;

pub(super) fn check(skill: &Skill, findings: &mut RawFindings) {
    if skill.path().file_name() == "skill.md" {
        let message = "the file is named `skill.md`, but tools look for `SKILL.md`";
        let finding = RawFinding::new(Location::file(skill.path()), message);
        findings.push(finding.help(rename_help(skill)).fix(rename_fix(skill)));
    }
}
