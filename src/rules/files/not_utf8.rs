//! See `not_utf8.md`.

use crate::canon::skill::{DocumentError, Skill};
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule, missing};

pub(super) static RULE: Rule = Rule {
    id: "not-utf8",
    summary: "a `SKILL.md` whose bytes are not UTF-8",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("not_utf8.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, drafts: &mut RawFindings) {
    let Err(DocumentError::NotUtf8(bad)) = &skill.document else { return };
    let place = Location::byte(skill.path(), bad.offset, bad.line);
    drafts.push(RawFinding::new(place, missing::not_utf8_message(bad)).help(missing::not_utf8_help(bad)));
}
