//! See `link_outside_skill.md`.

use super::links::{LinkTarget, SkillLinks};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "link-outside-skill",
    summary: "link out of the skill's directory",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("link_outside_skill.md"),
    check: Check::SkillLinks(check),
};

/// The scope of one cause: a skill that relies on files of its repository has one defect, however many files there are.
const OUT: (&str, &str) = ("link out of the skill", "links out of the skill");
const HELP: &str = "refer to another skill by its name, and copy required files into this skill";

fn check(SkillLinks { skill, links }: &SkillLinks<'_>, findings: &mut Vec<Finding>) {
    let Some(source) = skill.source() else { return };
    let surroundings = &skill.surroundings;
    for link in links {
        let LinkTarget::Outside(path) = &link.target else { continue };
        if surroundings.from_stored_document.contains(link.text) {
            continue;
        }
        let Some(path) = path else {
            findings
                .push(link.finding(&RULE, source, format!("`{}` leads out of the repository", link.text)).help(HELP));
            continue;
        };
        if !surroundings.existing.contains(path) {
            let message = format!("`{}` does not exist, and leads out of the skill", link.text);
            let help = "correct the path or remove the link; copy required files into this skill";
            findings.push(link.finding(&RULE, source, message).help(help));
            continue;
        }
        // A plugin is installed as a whole.
        if skill.is_used_in_place() || surroundings.is_in_plugin(path) || surroundings.is_reached_from_mirrors(path) {
            continue;
        }
        let is_copied = skill.is_in_canon() || surroundings.plugin.is_some();
        let finding = if is_copied {
            let message = format!("`{}` is outside the skill and missing where the skill is copied to", link.text);
            link.finding(&RULE, source, message).help(HELP)
        } else {
            let message = format!("`{}` is missing if this skill is installed without its repository", link.text);
            let help = "refer to another skill by its name, and say what to do without it";
            link.finding(&RULE, source, message).help(help).severity(Defaults::both(Severity::Info))
        };
        findings.push(finding.caused_by(source.path().to_string(), OUT));
    }
}
