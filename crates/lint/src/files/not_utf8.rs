//! See `not_utf8.md`.

use crate::{Check, Defaults, Finding, Rule, unreadable};
use canonry_model::canon::blob::DocumentError;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "not-utf8",
    summary: "`SKILL.md` is not valid UTF-8",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("not_utf8.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    if let Err(DocumentError::NotUtf8(bad)) = &skill.document {
        findings.push(unreadable::not_utf8(&RULE, skill.path(), bad));
    }
}
