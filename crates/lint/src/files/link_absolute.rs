//! See `link_absolute.md`.

use super::links::{LinkTarget, SkillLinks};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "link-absolute",
    summary: "link to an absolute path",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("link_absolute.md"),
    check: Check::SkillLinks(check),
};

const HELP: &str = "write a path relative to the skill's directory, or a full URL with `https://`";

fn check(SkillLinks { skill, links }: &SkillLinks<'_>, findings: &mut Vec<Finding>) {
    let Some(source) = skill.source() else { return };
    for link in links {
        match &link.target {
            // A convention of some repositories, which agents at their root can follow.
            LinkTarget::Absolute(path) if skill.surroundings.existing.contains(path) => {}
            LinkTarget::Absolute(path) => {
                let finding = link.finding(&RULE, source, format!("`{}` is an absolute path", link.text)).help(HELP);
                let place = path.components().next().map(ToString::to_string).unwrap_or_default();
                // The links of one website.
                let key = format!("{} {place}", source.path());
                findings.push(finding.caused_by(key, ("link into this folder", "links into this folder")));
            }
            LinkTarget::FileUrl => {
                let message = format!("`{}` leads to a file of one machine", link.text);
                findings.push(link.finding(&RULE, source, message).help(HELP));
            }
            _ => {}
        }
    }
}
