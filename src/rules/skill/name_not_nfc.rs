//! See `name_not_nfc.md`.

use super::names::Name;
use crate::canon::skill::Skill;
use crate::finding::{Fix, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "name-not-nfc",
    summary: "a name with letters and accents apart (not in Unicode form NFC)",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("name_not_nfc.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(name) = Name::from_skill(skill) else { return };
    let composed = name.composed();
    if composed != name.text {
        let message = "the name is not in Unicode form NFC: it is written with characters that should be one";
        let fix = name.write(&composed).map(|splice| Fix::safe("write it with composed characters", vec![splice]));
        findings.push(name.finding(message).help(format!("type it anew as `name: {composed}`")).fix(fix));
    }
}
