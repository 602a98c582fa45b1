//! See `mentioned_file_missing.md`.

use super::broken_link::missing;
use super::home_path::{self, Place};
use super::links::SkillLinks;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::agent_text::AgentText;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "mentioned-file-missing",
    summary: "text names a file that does not exist, or only on one machine",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("mentioned_file_missing.md"),
    check: Check::Each(&[Check::SkillLinks(check), Check::Skill(check_homes), Check::AgentText(check_agent_text)]),
};

const HELP: &str =
    "if the skill should have this file, add it; if the skill writes it, write it outside of the skill's folder";

fn check(SkillLinks { skill, links }: &SkillLinks<'_>, findings: &mut Vec<Finding>) {
    let Some(source) = skill.source() else { return };
    let mentions = links.iter().filter(|link| !link.is_link);
    findings.extend(mentions.filter_map(|link| missing(&RULE, skill, source, link, HELP)));
}

fn check_homes(skill: &Skill, findings: &mut Vec<Finding>) {
    findings.extend(home_path::in_skill(&RULE, skill, Place::Text));
}

fn check_agent_text(text: &AgentText, findings: &mut Vec<Finding>) {
    findings.extend(home_path::in_agent_text(&RULE, text, Place::Text));
}
