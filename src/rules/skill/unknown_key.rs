//! See `unknown_key.md`.

use super::known_keys::{self, KNOWN_KEYS};
use crate::canon::skill::Skill;
use crate::config::closest_match;
use crate::finding::{Fix, Location, RawFinding, Severity};
use crate::rules::yaml_edit::YamlEditor;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "unknown-key",
    summary: "a top-level key that no tool knows",
    severity: Defaults { team: Severity::Warning, spec: Severity::Error },
    docs: include_str!("unknown_key.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    for violation in skill.violations().iter().filter(|v| v.is_built_in("", &["additionalProperties"])) {
        let Some(key) = violation.key.as_deref().filter(|key| known_keys::find(key).is_none()) else { continue };
        let message = format!("no tool knows the key `{key}`");
        let finding = RawFinding::new(Location::at(source, violation.span), message);
        let Some(meant) = meant(key) else {
            findings.push(finding.help("move it below `metadata` as a string, or remove it"));
            continue;
        };
        let splice = YamlEditor::from_frontmatter(source, front).and_then(|yaml| yaml.rename("", key, meant));
        let fix = splice.map(|splice| Fix::unsafely(format!("call it `{meant}`"), vec![splice]));
        findings.push(finding.help(format!("did you mean `{meant}`?")).fix(fix));
    }
}

fn meant(key: &str) -> Option<&'static str> {
    let usual = key.to_lowercase().replace('_', "-");
    let known = || KNOWN_KEYS.iter().map(|known| known.key);
    closest_match(key, known()).or_else(|| closest_match(&usual, known()))
}
