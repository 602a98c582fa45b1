//! See `unknown_key.md`.

use super::known_keys::{self, KNOWN_KEYS};
use crate::canon::skill::Skill;
use crate::config::closest_match;
use crate::finding::yaml_edit::YamlEditor;
use crate::finding::{Fix, Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "unknown-key",
    summary: "unknown key in the frontmatter",
    severity: Defaults { team: Severity::Warning, spec: Severity::Error },
    docs: include_str!("unknown_key.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    for violation in skill.violations().iter().filter(|v| v.is_built_in("", &["additionalProperties"])) {
        let Some(key) = violation.key.as_deref().filter(|key| known_keys::find(key).is_none()) else { continue };
        let message = format!("unknown key `{key}`");
        let finding = RawFinding::new(Location::at(source, violation.span), message);
        let Some(intended) = intended_key(key) else {
            findings.push(finding.help("move it to `metadata` as a string, or remove it"));
            continue;
        };
        let edit = YamlEditor::from_frontmatter(source, front).and_then(|yaml| yaml.rename("", key, intended));
        let fix = edit.map(|edit| Fix::unsafe_edits(format!("rename the key to `{intended}`"), vec![edit]));
        findings.push(finding.help(format!("did you mean `{intended}`?")).fix(fix));
    }
}

fn intended_key(key: &str) -> Option<&'static str> {
    let normalized = key.to_lowercase().replace('_', "-");
    let known = || KNOWN_KEYS.iter().map(|known| known.key);
    closest_match(key, known()).or_else(|| closest_match(&normalized, known()))
}
