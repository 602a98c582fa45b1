//! See `listing_cut_off.md`.

use super::fields::Field;
use crate::{Check, ConfiguredSkill, Defaults, Finding, Rule};
use canonry_model::config::Target;
use canonry_model::finding::Severity;
use canonry_model::tools::skill_listing::{CLAUDE_LISTING, joined_length};

pub(super) static RULE: Rule = Rule {
    id: "listing-cut-off",
    summary: "description is cut off in Claude Code's skill listing",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("listing_cut_off.md"),
    check: Check::ConfiguredSkill(check),
};

fn check(ConfiguredSkill { skill, config }: &ConfiguredSkill<'_>, findings: &mut Vec<Finding>) {
    let Some(when) = Field::find(skill, "when_to_use").filter(|_| config.targets.contains(&Target::CLAUDE)) else {
        return;
    };
    let text = |key: &str| skill.text_field(key).map(|(text, _)| text);
    let count = joined_length(text("description").unwrap_or_default(), text("when_to_use"));
    let limit = CLAUDE_LISTING.description;
    if count > limit {
        let message = format!(
            "`description` and `when_to_use` have {count} characters in total; Claude Code lists only the first {limit}"
        );
        findings.push(when.at_key(&RULE, message).help("put the most important use cases first, and shorten the rest"));
    }
}
