//! Part of `yaml-invalid`: duplicate key in the frontmatter.

use super::yaml_invalid::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::Location;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    let Ok(document) = &front.yaml else { return };
    for duplicate in &document.duplicates {
        let message = format!("duplicate key `{}`", duplicate.key);
        let first = Location::at(source, duplicate.first);
        let finding = RULE.at(Location::at(source, duplicate.span), message).help("remove one of them");
        findings.push(finding.related(first, "first defined here"));
    }
}
