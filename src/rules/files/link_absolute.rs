//! See `link_absolute.md`.

use super::link_to_other_skill;
use super::links::{LinkReference, LinkTarget, SkillLinks};
use crate::finding::{RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::Source;
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "link-absolute",
    summary: "link to an absolute path",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("link_absolute.md"),
    check: Check::SkillLinks(check),
};

const HELP: &str = "write a path relative to the skill's directory, or a full URL with `https://`";

fn check(SkillLinks { skill, links }: &SkillLinks<'_>, findings: &mut RawFindings) {
    let Some(source) = skill.source() else { return };
    for link in links {
        let message = match &link.target {
            // A convention of some repositories, which agents at their root can follow.
            LinkTarget::Absolute(path) if skill.surroundings.existing.contains(path) => continue,
            LinkTarget::Absolute(_) if skill.surroundings.slash_commands.contains(link.text) => {
                findings.push(slash_command(source, link));
                continue;
            }
            LinkTarget::Absolute(path) => {
                let finding = link.finding(source, format!("`{}` is an absolute path", link.text)).help(HELP);
                let place = path.components().next().map(ToString::to_string).unwrap_or_default();
                // The links of one website.
                let key = format!("{} {place}", source.path());
                findings.push(finding.caused_by(key, ("link into this folder", "links into this folder")));
                continue;
            }
            LinkTarget::FileUrl => format!("`{}` leads to a file of one machine", link.text),
            _ => continue,
        };
        findings.push(link.finding(source, message).help(HELP));
    }
}

/// A finding for `/name` of another skill: people and agents understand it, although it leads to no file.
fn slash_command(source: &Arc<Source>, link: &LinkReference<'_>) -> RawFinding {
    let message = format!("`{}` is what a person types to start a skill, and no path", link.text);
    // One decision for a file, however many skills it names.
    link.finding(source, message)
        .help("refer to the skill by its name")
        .caused_by(format!("{} commands", source.path()), ("link to a slash command", "links to slash commands"))
        .for_rule(link_to_other_skill::RULE.id)
}
