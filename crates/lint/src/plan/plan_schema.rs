//! See `plan_schema.md`.

use super::helpers::{built_in, document};
use super::{plan_command_form, plan_status, plan_unknown_key};
use crate::violations::describe;
use crate::{Check, Defaults, Finding, Rule, yaml_problems};
use canonry_model::canon::plan::{Plan, PlanDocument};
use canonry_model::canon::schema::Violation;
use canonry_model::finding::yaml_edit::{YamlEditor, quoted};
use canonry_model::finding::{Fix, Location, Severity, TextEdit};
use canonry_text::Span;
use canonry_text::node::{Node, ScalarKind};
use std::collections::{BTreeMap, HashMap};

pub(super) static RULE: Rule = Rule {
    id: "plan-schema",
    summary: "plan does not match the built-in schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_schema.md"),
    check: Check::Each(&[
        Check::Plan(check),
        Check::Plan(plan_status::check),
        Check::Plan(check_yaml),
        Check::Plan(plan_unknown_key::check),
        Check::Plan(plan_command_form::check),
    ]),
};

fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    let mut fixes = None;
    for violation in violations(document) {
        let mut finding = RULE.at(Location::at(&document.source, violation.span), describe(violation));
        finding.help = help(document, violation);
        // Numbers as ids are read by their text.
        if is_number_id(document, violation) {
            finding = finding.severity(Defaults::both(Severity::Info));
            finding.fix = fixes.get_or_insert_with(|| IdFixes::new(document)).fix(violation.span);
        }
        findings.push(finding);
    }
}

fn violations(document: &PlanDocument) -> impl Iterator<Item = &Violation> {
    built_in(document, |keyword| !matches!(keyword, "additionalProperties" | "enum" | "pattern"))
}

/// Whether a number stands for the id of a step.
fn is_number_id(document: &PlanDocument, violation: &Violation) -> bool {
    let ids = || document.steps.iter().flat_map(|step| step.id.iter().chain(&step.deps));
    let node = || document.yaml.as_ref().ok()?.root.at_pointer(&violation.pointer);
    violation.keyword == "type"
        && ids().any(|id| id.span == violation.span)
        && node().is_some_and(|(node, _)| number_text(node).is_some())
}

/// Quotes numbers in `id` and `deps`. An id changes together with the dependencies on it, so that both keep one spelling.
struct IdFixes {
    /// The edit of each number, and its text.
    edits: BTreeMap<Span, (TextEdit, String)>,
    /// The id of each text.
    ids: HashMap<String, Span>,
    /// The dependencies on each text.
    deps: HashMap<String, Vec<Span>>,
}

impl IdFixes {
    fn new(document: &PlanDocument) -> Self {
        let mut fixes = Self { edits: BTreeMap::new(), ids: HashMap::new(), deps: HashMap::new() };
        let Ok(yaml) = &document.yaml else { return fixes };
        let steps = yaml.root.get("steps").and_then(Node::as_sequence).unwrap_or_default();
        let mut changes = Vec::new();
        let mut add = |pointer: String, node: &Node| {
            let text = number_text(node)?;
            changes.push((pointer, TextEdit::new(node.span, quoted(text)), text.to_owned()));
            Some(text.to_owned())
        };
        for (at, step) in steps.iter().enumerate() {
            if let Some(id) = step.get("id")
                && let Some(text) = add(format!("/steps/{at}/id"), id)
            {
                fixes.ids.entry(text).or_insert(id.span);
            }
            let deps = step.get("deps").and_then(Node::as_sequence).unwrap_or_default();
            for (number, dep) in deps.iter().enumerate() {
                if let Some(text) = add(format!("/steps/{at}/deps/{number}"), dep) {
                    fixes.deps.entry(text).or_default().push(dep.span);
                }
            }
        }
        if YamlEditor::from_file(&document.source, yaml).set_all(&changes) {
            fixes.edits = changes.into_iter().map(|(_, edit, text)| (edit.span, (edit, text))).collect();
        }
        fixes
    }

    /// The fix for the number at `span`.
    fn fix(&self, span: Span) -> Option<Fix> {
        let (own, text) = self.edits.get(&span)?;
        let id = self.ids.get(text);
        let mut spans: Vec<Span> = id.copied().into_iter().chain([own.span]).collect();
        if id == Some(&own.span) {
            spans.extend(self.deps.get(text).into_iter().flatten());
        }
        spans.sort_unstable();
        spans.dedup();
        let edits = spans.iter().filter_map(|span| Some(self.edits.get(span)?.0.clone())).collect();
        Some(Fix::safe(format!("quote `{text}`"), edits))
    }
}

fn number_text(node: &Node) -> Option<&str> {
    node.as_scalar().filter(|scalar| matches!(scalar.kind, ScalarKind::Number(_))).map(|scalar| scalar.text.as_str())
}

fn help(document: &PlanDocument, violation: &Violation) -> Option<String> {
    match violation.key.as_deref() {
        Some("steps") => return Some("add the list of steps under `steps`".to_owned()),
        Some("owner") => return Some("add `owner:` with the role that executes the step".to_owned()),
        Some("id") => return Some("add an `id:` that other steps can refer to in `deps`".to_owned()),
        None if violation.pointer.is_empty() => return Some("write `steps:` with a list of steps".to_owned()),
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

/// Plan is not valid YAML.
fn check_yaml(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    findings.extend(yaml_problems::findings(&RULE, &document.source, &document.yaml));
}
