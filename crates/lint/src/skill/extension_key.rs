//! Part of `skill-schema`: frontmatter key that is not in the specification.

use super::known_keys;
use crate::RawFindings;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, RawFinding};

pub(super) fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(source) = skill.source() else { return };
    for violation in skill.violations().iter().filter(|v| v.is_built_in("", &["additionalProperties"])) {
        let Some(known) = violation.key.as_deref().and_then(known_keys::find) else { continue };
        let message = format!("`{}` is a key of {}, not of the specification", known.key, known.reader_names());
        let help = "remove it from a skill that you publish, or move it to `metadata`";
        findings.push(RawFinding::new(Location::at(source, violation.span), message).help(help));
    }
}
