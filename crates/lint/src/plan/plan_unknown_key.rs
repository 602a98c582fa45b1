//! Part of `plan-schema`: unknown key in a plan.

use super::helpers::{built_in, document};
use super::plan_schema::RULE;
use crate::violations::dotted;
use crate::{Defaults, Finding};
use canonry_model::canon::plan::{Plan, PlanDocument};
use canonry_model::canon::schema::{SchemaKind, Violation};
use canonry_model::finding::yaml_edit::{KeyRename, YamlEditor};
use canonry_model::finding::{Fix, Location, Severity};
use canonry_text::closest_match;

/// Names of step keys in other planning tools.
const ALIASES: [(&str, &str); 14] = [
    ("dependencies", "deps"),
    ("depends_on", "deps"),
    ("dependsOn", "deps"),
    ("depends", "deps"),
    ("needs", "deps"),
    ("requires", "deps"),
    ("blocked_by", "deps"),
    ("name", "id"),
    ("assignee", "owner"),
    ("agent", "owner"),
    ("state", "status"),
    ("acceptance_criteria", "criteria"),
    ("acceptance", "criteria"),
    ("risks", "risk_notes"),
];

pub(super) fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    let violations: Vec<&Violation> = built_in(document, |keyword| keyword == "additionalProperties").collect();
    if violations.is_empty() {
        return;
    }
    let known = KnownKeys::load();
    let unknown: Vec<UnknownKey<'_>> = violations.into_iter().filter_map(|v| UnknownKey::new(v, &known)).collect();
    let renames: Vec<KeyRename<'_>> = unknown.iter().filter_map(UnknownKey::rename).collect();
    let yaml = document.yaml.as_ref().ok().filter(|_| !renames.is_empty());
    let edits = yaml.map(|yaml| YamlEditor::from_file(&document.source, yaml).rename_all(&renames));
    let mut edits = edits.unwrap_or_default().into_iter();
    for unknown in &unknown {
        let finding = unknown.finding(document);
        let Some(intended) = unknown.intended else {
            let help = format!("canonry ignores it; valid keys are {}", unknown.known.join(", "));
            // The schema allows more keys, and other programs may read them.
            findings.push(finding.help(help).severity(Defaults::both(Severity::Warning)));
            continue;
        };
        let edit = edits.next().flatten();
        let fix = edit.map(|edit| Fix::unsafe_edits(format!("rename the key to `{intended}`"), vec![edit]));
        findings.push(finding.help(format!("did you mean `{intended}`?")).fix(fix));
    }
}

struct KnownKeys {
    plan: Vec<String>,
    step: Vec<String>,
}

impl KnownKeys {
    fn load() -> Self {
        let keys = |definition: &str| SchemaKind::Plan.known_keys(definition, "");
        Self { plan: keys(""), step: keys("/$defs/step") }
    }
}

struct UnknownKey<'a> {
    violation: &'a Violation,
    key: &'a str,
    /// The keys that the mapping may have.
    known: &'a [String],
    intended: Option<&'a str>,
}

impl<'a> UnknownKey<'a> {
    fn new(violation: &'a Violation, known: &'a KnownKeys) -> Option<Self> {
        let key = violation.key.as_deref()?;
        let known = if violation.pointer.is_empty() { &known.plan } else { &known.step };
        Some(Self { violation, key, known, intended: intended_key(key, known) })
    }

    fn finding(&self, document: &PlanDocument) -> Finding {
        let at = dotted(&self.violation.pointer);
        let parent = if at.is_empty() { "the plan".to_owned() } else { format!("step `{at}`") };
        let location = Location::at(&document.source, self.violation.span);
        RULE.at(location, format!("unknown key `{}` in {parent}", self.key))
    }

    fn rename(&self) -> Option<KeyRename<'a>> {
        Some(KeyRename { pointer: &self.violation.pointer, key: self.key, new: self.intended? })
    }
}

fn intended_key<'a>(key: &str, known: &'a [String]) -> Option<&'a str> {
    let known = || known.iter().map(String::as_str);
    let alias = ALIASES.iter().find(|(alias, _)| *alias == key).map(|(_, intended)| *intended);
    let alias = alias.and_then(|intended| known().find(|known| *known == intended));
    alias.or_else(|| closest_match(key, known()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_of_keys_in_the_built_in_schema() {
        let known = KnownKeys::load();
        assert!(ALIASES.iter().all(|(_, intended)| known.step.iter().any(|key| key == intended)));
    }
}
