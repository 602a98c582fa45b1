//! See `not_utf8.md`.

use crate::canon::skill::{Skill, Unreadable};
use crate::finding::{Draft, Place, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule, missing};

pub(super) static RULE: Rule = Rule {
    id: "not-utf8",
    summary: "a `SKILL.md` whose bytes are not UTF-8",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("not_utf8.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, drafts: &mut Drafts) {
    let Err(Unreadable::NotUtf8(bad)) = &skill.document else { return };
    let place = Place::byte(skill.path(), bad.offset, bad.line);
    drafts.push(Draft::new(place, missing::not_utf8_message(bad)).help(missing::not_utf8_help(bad)));
}
