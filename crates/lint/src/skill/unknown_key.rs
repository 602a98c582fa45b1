//! Part of `skill-schema`: unknown key in the frontmatter.

use super::known_keys::{self, KNOWN_KEYS, KeyReader, KnownKey};
use super::skill_schema::RULE;
use crate::Defaults;
use crate::Finding;
use canonry_model::canon::schema::Violation;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::yaml_edit::YamlEditor;
use canonry_model::finding::{Fix, Location, Severity};
use canonry_text::closest_match;
use canonry_text::node::NodeValue;

/// The severity of a key that resembles no known one: catalogs and other ecosystems have keys of their own, and tools ignore keys
/// that they do not know.
const CUSTOM: Defaults = Defaults { team: Severity::Info, spec: Severity::Error };

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    misspelled(skill, findings);
    custom(skill, findings);
}

fn misspelled(skill: &Skill, findings: &mut Vec<Finding>) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    for (key, violation) in unknown_keys(skill) {
        let Some(intended) = intended_key(skill, key) else { continue };
        let edit = YamlEditor::from_frontmatter(source, front).and_then(|yaml| yaml.rename("", key, intended));
        let fix = edit.map(|edit| Fix::unsafe_edits(format!("rename the key to `{intended}`"), vec![edit]));
        let finding = RULE.at(Location::at(source, violation.span), format!("unknown key `{key}`"));
        findings.push(finding.help(format!("did you mean `{intended}`?")).fix(fix));
    }
}

/// One finding for all keys of a file that resemble no known key.
fn custom(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(source) = skill.source() else { return };
    let keys: Vec<(&str, &Violation)> =
        unknown_keys(skill).filter(|(key, _)| intended_key(skill, key).is_none()).collect();
    let Some((_, first)) = keys.first() else { return };
    let names: Vec<String> = keys.iter().map(|(key, _)| format!("`{key}`")).collect();
    let message = format!("unknown {} {}", if keys.len() == 1 { "key" } else { "keys" }, names.join(", "));
    let it = if keys.len() == 1 { "it" } else { "them" };
    let help = format!("move {it} to `metadata` with strings as values, or remove {it}; tools ignore unknown keys");
    findings.push(RULE.at(Location::at(source, first.span), message).help(help).severity(CUSTOM));
}

fn unknown_keys(skill: &Skill) -> impl Iterator<Item = (&str, &Violation)> {
    let violations = skill.violations().iter().filter(|v| v.is_built_in("", &["additionalProperties"]));
    violations.filter_map(|violation| {
        let key = violation.key.as_deref().filter(|key| known_keys::find(key).is_none())?;
        Some((key, violation))
    })
}

/// Keys that resemble a known one, and that people use with a meaning of their own.
const OWN_MEANING: [&str; 1] = ["mode"];

/// The known key that is meant, if the frontmatter does not contain it anyway.
fn intended_key(skill: &Skill, key: &str) -> Option<&'static str> {
    let normalized = key.to_lowercase().replace('_', "-");
    if OWN_MEANING.contains(&normalized.as_str()) {
        return None;
    }
    // `parent` is no misspelt `agent`: people seldom mistake the first letter.
    let first = normalized.chars().next();
    // Elsewhere, no tool reads the keys of a canon, so a suggestion would replace one ignored key by another.
    let is_read =
        |known: &KnownKey| skill.is_in_canon() || known.readers.iter().any(|reader| *reader != KeyReader::Canon);
    let alike = || {
        let read = KNOWN_KEYS.iter().filter(|known| is_read(known)).map(|known| known.key);
        read.filter(|known| known.chars().next() == first)
    };
    let intended = closest_match(key, alike()).or_else(|| closest_match(&normalized, alike()))?;
    (skill.field(intended).is_none() && has_fitting_number(skill, key, intended)).then_some(intended)
}

/// Whether the value fits a key that is the singular or plural of another: a list fits `triggers`, and not `agent`.
fn has_fitting_number(skill: &Skill, key: &str, intended: &str) -> bool {
    let is_list = skill.field(key).is_some_and(|entry| matches!(entry.value.value, NodeValue::Sequence(_)));
    if key.strip_suffix('s') == Some(intended) {
        !is_list
    } else if intended.strip_suffix('s') == Some(key) {
        is_list
    } else {
        true
    }
}
