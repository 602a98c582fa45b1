//! See `plan_unknown_key.md`.

use super::helpers::{built_in, document};
use crate::canon::plan::Plan;
use crate::config::closest_match;
use crate::finding::yaml_edit::YamlEditor;
use crate::finding::{Fix, Location, RawFinding, Severity};
use crate::rules::violations::dotted;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "plan-unknown-key",
    summary: "unknown key in a plan",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_unknown_key.md"),
    check: Check::Plan(check),
};

const PLAN_KEYS: [&str; 7] = ["id", "title", "goal", "description", "version", "metadata", "steps"];
const STEP_KEYS: [&str; 12] = [
    "id",
    "description",
    "owner",
    "status",
    "deps",
    "parallel",
    "criteria",
    "commands",
    "files",
    "approval",
    "max_diff_lines",
    "risk_notes",
];

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

fn check(plan: &Plan, findings: &mut RawFindings) {
    let Some(document) = document(plan) else { return };
    for violation in built_in(document, |keyword| keyword == "additionalProperties") {
        let Some(key) = violation.key.as_deref() else { continue };
        let at = dotted(&violation.pointer);
        let parent = if at.is_empty() { "the plan".to_owned() } else { format!("step `{at}`") };
        let finding =
            RawFinding::new(Location::at(&document.source, violation.span), format!("unknown key `{key}` in {parent}"));
        let known: &[&str] = if at.is_empty() { &PLAN_KEYS } else { &STEP_KEYS };
        let Some(intended) = intended_key(key, known) else {
            findings.push(finding.help(format!("valid keys are {}", known.join(", "))));
            continue;
        };
        let edit = YamlEditor::from_plan(document).and_then(|yaml| yaml.rename(&violation.pointer, key, intended));
        let fix = edit.map(|edit| Fix::unsafe_edits(format!("rename the key to `{intended}`"), vec![edit]));
        findings.push(finding.help(format!("did you mean `{intended}`?")).fix(fix));
    }
}

fn intended_key<'a>(key: &str, known: &'a [&'a str]) -> Option<&'a str> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == key).map(|(_, intended)| *intended);
    let alias = alias.and_then(|intended| known.iter().copied().find(|known| *known == intended));
    alias.or_else(|| closest_match(key, known.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::schema::SchemaKind;

    #[test]
    fn keys_match_the_built_in_schema() {
        let text = SchemaKind::Plan.built_in_text();
        let schema: serde_json::Value = serde_json::from_str(text).unwrap();
        let keys =
            |pointer: &str| schema.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys("/properties"), PLAN_KEYS);
        assert_eq!(keys("/$defs/step/properties"), STEP_KEYS);
        assert!(ALIASES.iter().all(|(_, intended)| STEP_KEYS.contains(intended)));
    }
}
