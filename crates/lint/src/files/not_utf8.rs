//! Part of `file-unreadable`: `SKILL.md` is not valid UTF-8.

use super::file_unreadable::RULE;
use crate::{Finding, unreadable};
use canonry_model::canon::blob::DocumentError;
use canonry_model::canon::skill::Skill;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    if let Err(DocumentError::NotUtf8(bad)) = &skill.document {
        findings.push(unreadable::not_utf8(&RULE, skill.path(), bad));
    }
}
