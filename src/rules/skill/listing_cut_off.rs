//! See `listing_cut_off.md`.

use super::fields::Field;
use crate::config::Target;
use crate::finding::Severity;
use crate::rules::{Check, ConfiguredSkill, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "listing-cut-off",
    summary: "a description and `when_to_use` that Claude Code cuts off in its listing",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("listing_cut_off.md"),
    check: Check::ConfiguredSkill(check),
};

/// Characters of `description` and `when_to_use` together that Claude Code lists of a skill.
const LIMIT: usize = 1_536;

fn check(ConfiguredSkill { skill, config }: &ConfiguredSkill<'_>, findings: &mut RawFindings) {
    let Some(when) = Field::find(skill, "when_to_use").filter(|_| config.targets.contains(&Target::Claude)) else {
        return;
    };
    let length = |key: &str| skill.text_field(key).map_or(0, |(text, _)| text.chars().count());
    let count = length("description") + length("when_to_use");
    if count > LIMIT {
        let message = format!(
            "`description` and `when_to_use` have {count} characters together; Claude Code lists {LIMIT} and cuts off the rest"
        );
        findings.push(when.at_key(message).help("say the most telling occasions first, and shorten the rest"));
    }
}
