//! See `plan_schema.md`.

use super::helpers::{built_in, document};
use crate::canon::plan::{Plan, PlanDocument};
use crate::canon::schema::Violation;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::violations::describe;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "plan-schema",
    summary: "plan does not match the built-in schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_schema.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, findings: &mut RawFindings) {
    let Some(document) = document(plan) else { return };
    for violation in built_in(document, |keyword| !matches!(keyword, "additionalProperties" | "enum" | "pattern")) {
        let mut finding = RawFinding::new(Location::at(&document.source, violation.span), describe(violation));
        finding.help = help(document, violation);
        findings.push(finding);
    }
}

fn help(document: &PlanDocument, violation: &Violation) -> Option<String> {
    match violation.key.as_deref() {
        Some("steps") => return Some("add the list of steps under `steps`".to_owned()),
        Some("owner") => return Some("add `owner:` with the role that executes the step".to_owned()),
        Some("id") => return Some("add an `id:` that other steps can refer to in `deps`".to_owned()),
        _ => {}
    }
    let root = &document.yaml.as_ref().ok()?.root;
    let (node, _) = root.at_pointer(&violation.pointer)?;
    let text = node.as_scalar().map(|scalar| scalar.text.as_str()).filter(|text| !text.is_empty())?;
    let is_expected =
        |kind: &str| violation.keyword == "type" && violation.message.starts_with(&format!("must be {kind},"));
    if is_expected("a string") && !text.contains(['"', '\\', '\n']) {
        return Some(format!("quote it: \"{text}\""));
    }
    is_expected("a list").then(|| format!("write it as a list: [{text}]"))
}
