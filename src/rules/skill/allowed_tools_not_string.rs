//! See `allowed_tools_not_string.md`.

use super::fields::{self, Field};
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "allowed-tools-not-string",
    summary: "an `allowed-tools` that is a list, or anything but a string",
    severity: Defaults { team: Severity::Warning, spec: Severity::Error },
    docs: include_str!("allowed_tools_not_string.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, drafts: &mut RawFindings) {
    let Some(field) = Field::of(skill, "allowed-tools") else { return };
    if field.breaks(&["type"]) {
        let message = format!("`allowed-tools` is {}, not a string", fields::what(field.value()));
        drafts.push(field.at_key(message).help("write one string with spaces between the tools: `Read Bash(git:*)`"));
    }
}
