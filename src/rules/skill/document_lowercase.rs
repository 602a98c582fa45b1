//! See `document_lowercase.md`.

use super::document_case::{rename_fix, rename_help};
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "document-lowercase",
    summary: "`skill.md` in lower case",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("document_lowercase.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    if skill.path().file_name() == "skill.md" {
        let message = "the file is named `skill.md`, but tools look for `SKILL.md`";
        let finding = RawFinding::new(Location::file(skill.path()), message);
        findings.push(finding.help(rename_help(skill)).fix(rename_fix(skill)));
    }
}
