//! Part of `skill-schema`: frontmatter is not a mapping.

use super::fields;
use super::yaml_invalid::heading_of_keys;
use crate::RawFindings;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, RawFinding};

pub(super) fn check(skill: &Skill, findings: &mut RawFindings) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    let Some(root) = front.root() else { return };
    // Empty frontmatter is reported by the rules on missing keys.
    if root.as_mapping().is_some() || root.is_null() {
        return;
    }
    if let Some(finding) = heading_of_keys(source, front.fences.yaml, root.span.offset) {
        findings.push(finding);
        return;
    }
    let message = format!("the frontmatter is {}, not a mapping", fields::describe(root));
    findings.push(RawFinding::new(Location::at(source, root.span), message).help("write one `key: value` per line"));
}
