//! See `mentioned_file_missing.md`.

use super::broken_link::missing_links;
use super::links::document_links;
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "mentioned-file-missing",
    summary: "sentence names a file that does not exist",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("mentioned_file_missing.md"),
    check: Check::Skill(check),
};

const HELP: &str =
    "if the skill should have this file, add it; if the skill writes it, write it outside of the skill's folder";

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(source) = skill.source() else { return };
    let uncertain = document_links(skill).into_iter().filter(|link| !link.is_certain).collect();
    for missing in missing_links(skill, uncertain).into_iter().filter(|missing| !missing.is_certain()) {
        let message = format!("`{}` does not exist in the skill", missing.link.text);
        findings.push(missing.link.finding(source, message).help(HELP));
    }
}
