//! Part of `skill-schema`: frontmatter is not a mapping.

use super::fields;
use super::skill_schema::RULE;
use super::yaml_invalid::heading_of_keys;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::Location;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    let Some(root) = front.root() else { return };
    // Empty frontmatter is reported by the rules on missing keys.
    if root.as_mapping().is_some() || root.is_null() {
        return;
    }
    if let Some(finding) = heading_of_keys(&RULE, source, front.fences.yaml, root.span.offset) {
        findings.push(finding);
        return;
    }
    let message = format!("the frontmatter is {}, not a mapping", fields::describe(root));
    findings.push(RULE.at(Location::at(source, root.span), message).help("write one `key: value` per line"));
}
