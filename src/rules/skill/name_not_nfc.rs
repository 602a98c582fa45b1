//! See `name_not_nfc.md`.

use super::names::Name;
use crate::canon::skill::Skill;
use crate::finding::{Fix, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "name-not-nfc",
    summary: "skill name is not in Unicode form NFC",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("name_not_nfc.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(name) = Name::from_skill(skill) else { return };
    let composed = name.composed();
    if composed != name.text {
        let message = "the name is not in Unicode form NFC: letters and accents are separate characters";
        let fix = name.write(&composed).map(|edit| Fix::safe("write the name with composed characters", vec![edit]));
        findings.push(name.finding(message).help(format!("retype it as `name: {composed}`")).fix(fix));
    }
}
