//! See `description_missing.md`.

use crate::canon::skill::Skill;
use crate::finding::{Draft, Place, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "description-missing",
    summary: "a skill without a description, or with an empty one",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("description_missing.md"),
    check: Check::Skill(check),
};

const HELP: &str = "say in a sentence or two what the skill does and when to use it";

fn check(skill: &Skill, drafts: &mut Drafts) {
    let Some(source) = skill.source() else { return };
    for violation in skill.violations() {
        let missing = violation.is_built_in("", &["required"]) && violation.key.as_deref() == Some("description");
        if missing {
            let at = Place::at(source, violation.span);
            drafts.push(Draft::new(at, "the required key `description` is missing").help(HELP));
        }
    }
    let Some(entry) = skill.field("description") else { return };
    if entry.value.as_scalar().is_some_and(|scalar| scalar.text.trim().is_empty()) {
        drafts.push(Draft::new(Place::at(source, entry.key_span), "`description` is empty").help(HELP));
    }
}
