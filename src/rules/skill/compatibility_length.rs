//! See `compatibility_length.md`.

use super::fields::{self, Field};
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "compatibility-length",
    summary: "`compatibility` is empty or too long",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("compatibility_length.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    findings.extend(fields::too_long(skill, "compatibility").map(|finding| finding.help("shorten it")));
    let Some(field) = Field::find(skill, "compatibility") else { return };
    if field.value().is_null() || field.breaks(&["minLength"]) {
        findings
            .push(field.at_key("`compatibility` is empty").help("describe what the skill needs, or remove the key"));
    }
}
