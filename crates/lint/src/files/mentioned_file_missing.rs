//! See `mentioned_file_missing.md`.

use super::broken_link::missing;
use super::links::SkillLinks;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "mentioned-file-missing",
    summary: "text names a file that does not exist",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("mentioned_file_missing.md"),
    check: Check::SkillLinks(check),
};

const HELP: &str =
    "if the skill should have this file, add it; if the skill writes it, write it outside of the skill's folder";

fn check(SkillLinks { skill, links }: &SkillLinks<'_>, findings: &mut Vec<Finding>) {
    let Some(source) = skill.source() else { return };
    let mentions = links.iter().filter(|link| !link.is_link);
    findings.extend(mentions.filter_map(|link| missing(&RULE, skill, source, link, HELP)));
}
