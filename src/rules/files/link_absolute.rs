//! See `link_absolute.md`.

use super::target::{Target, targets};
use crate::canon::skill::Skill;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "link-absolute",
    summary: "a link to an absolute path",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("link_absolute.md"),
    check: Check::Skill(check),
};

const HELP: &str = "write the path relative to the skill's folder, or the whole address with `https://`";

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(source) = skill.source() else { return };
    for named in targets(skill).iter().filter(|named| named.target == Target::Absolute) {
        let message = format!("`{}` counts from the root of the file system, not from the skill", named.text);
        findings.push(named.finding(source, message).help(HELP));
    }
}
