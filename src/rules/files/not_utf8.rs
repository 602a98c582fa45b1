//! See `not_utf8.md`.

use crate::canon::blob::DocumentError;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule, unreadable};

pub(super) static RULE: Rule = Rule {
    id: "not-utf8",
    summary: "`SKILL.md` is not valid UTF-8",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("not_utf8.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    if let Err(DocumentError::NotUtf8(bad)) = &skill.document {
        findings.push(unreadable::not_utf8(skill.path(), bad));
    }
}
