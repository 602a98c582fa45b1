//! See `unknown_key.md`.

use super::known_keys::{self, KNOWN_KEYS};
use crate::canon::skill::Skill;
use crate::config::closest;
use crate::finding::{Draft, Place, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "unknown-key",
    summary: "a top-level key that no tool knows",
    severity: Defaults { team: Severity::Warning, spec: Severity::Error },
    docs: include_str!("unknown_key.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, drafts: &mut Drafts) {
    let Some(source) = skill.source() else { return };
    for violation in skill.violations().iter().filter(|v| v.is_built_in("", &["additionalProperties"])) {
        let Some(key) = violation.key.as_deref().filter(|key| known_keys::find(key).is_none()) else { continue };
        let message = format!("no tool knows the key `{key}`");
        drafts.push(Draft::new(Place::at(source, violation.span), message).help(help(key)));
    }
}

fn help(key: &str) -> String {
    let usual = key.to_lowercase().replace('_', "-");
    let known = || KNOWN_KEYS.iter().map(|known| known.key);
    match closest(key, known()).or_else(|| closest(&usual, known())) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "move it below `metadata` as a string, or remove it".to_owned(),
    }
}
