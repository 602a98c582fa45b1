//! See `listing_cut_off.md`.

use super::fields::Field;
use crate::canon::skill::Skill;
use crate::config::Target;
use crate::finding::Severity;
use crate::rules::facts::Setting;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "listing-cut-off",
    summary: "a description and `when_to_use` that Claude Code cuts off in its listing",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("listing_cut_off.md"),
    check: Check::SkillIn(check),
};

/// Characters of `description` and `when_to_use` together that Claude Code lists of a skill.
const LIMIT: usize = 1_536;

fn check(skill: &Skill, setting: &Setting, drafts: &mut RawFindings) {
    let Some(when) = Field::of(skill, "when_to_use").filter(|_| setting.targets.contains(&Target::Claude)) else {
        return;
    };
    let length = |key: &str| skill.text_field(key).map_or(0, |(text, _)| text.chars().count());
    let count = length("description") + length("when_to_use");
    if count > LIMIT {
        let message = format!(
            "`description` and `when_to_use` have {count} characters together; Claude Code lists {LIMIT} and cuts off the rest"
        );
        drafts.push(when.at_key(message).help("say the most telling occasions first, and shorten the rest"));
    }
}
