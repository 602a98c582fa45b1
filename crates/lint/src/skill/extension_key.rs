//! Part of `skill-schema`: frontmatter key that is not in the specification.

use super::known_keys;
use super::skill_schema::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::Location;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(source) = skill.source() else { return };
    for violation in skill.violations().iter().filter(|v| v.is_built_in("", &["additionalProperties"])) {
        let Some(known) = violation.key.as_deref().and_then(known_keys::find) else { continue };
        let message = format!("`{}` is a key of {}, not of the specification", known.key, known.reader_names());
        let help = "remove it from a skill that you publish, or move it to `metadata`";
        findings.push(RULE.at(Location::at(source, violation.span), message).help(help));
    }
}
