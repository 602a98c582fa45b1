//! Part of `plan-schema`: unknown step status.

use super::helpers::{built_in, document};
use super::plan_schema::RULE;
use crate::Finding;
use crate::violations::dotted;
use canonry_model::canon::plan::{Plan, PlanDocument, StepStatus};
use canonry_model::canon::schema::Violation;
use canonry_model::finding::yaml_edit::YamlEditor;
use canonry_model::finding::{Fix, Location, TextEdit};
use canonry_text::Span;
use canonry_text::closest_match;

/// Statuses of other planning tools.
const ALIASES: [(&str, &str); 10] = [
    ("done", "complete"),
    ("finished", "complete"),
    ("closed", "complete"),
    ("todo", "pending"),
    ("open", "pending"),
    ("ready", "pending"),
    ("doing", "in_progress"),
    ("started", "in_progress"),
    ("active", "in_progress"),
    ("failed", "blocked"),
];

pub(super) fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    let root = document.yaml.as_ref().ok().map(|yaml| &yaml.root);
    let text_at = |pointer: &str| {
        let node = root.and_then(|root| root.at_pointer(pointer)).map(|(node, _)| node);
        node.and_then(|node| node.as_scalar()).map_or("", |scalar| scalar.text.as_str())
    };
    let unknown: Vec<(&Violation, &str)> =
        built_in(document, |keyword| keyword == "enum").map(|v| (v, text_at(&v.pointer))).collect();
    let change = |(violation, text): &(&Violation, &str)| {
        let status = intended_status(text)?;
        let edit = replace_status(document, violation.span, status);
        Some((violation.pointer.clone(), edit, status.to_owned()))
    };
    let changes: Vec<_> = unknown.iter().filter_map(change).collect();
    let yaml = document.yaml.as_ref().ok().filter(|_| !changes.is_empty());
    let edits = yaml.map(|yaml| YamlEditor::from_file(&document.source, yaml).set_each(&changes));
    let mut edits = edits.unwrap_or_default().into_iter();
    for (violation, text) in unknown {
        let message = format!("`{}` is `{text}`, which is not a status", dotted(&violation.pointer));
        let finding = RULE.at(Location::at(&document.source, violation.span), message);
        let Some(status) = intended_status(text) else {
            findings.push(finding.help(format!("valid statuses are {}", statuses().join(", "))));
            continue;
        };
        let edit = edits.next().flatten();
        let fix = edit.map(|edit| Fix::unsafe_edits(format!("change the status to `{status}`"), vec![edit]));
        findings.push(
            finding.help(format!("did you mean `{status}`? valid statuses are {}", statuses().join(", "))).fix(fix),
        );
    }
}

/// Keeps the quotes, which JSON requires.
fn replace_status(document: &PlanDocument, span: Span, status: &str) -> TextEdit {
    let quote = document.source.slice(span).chars().next().filter(|c| matches!(c, '"' | '\'')).map(String::from);
    let quote = quote.unwrap_or_default();
    TextEdit::new(span, format!("{quote}{status}{quote}"))
}

fn statuses() -> [&'static str; 4] {
    StepStatus::VALID.map(StepStatus::as_str)
}

fn intended_status(word: &str) -> Option<&'static str> {
    let normalized = word.to_ascii_lowercase().replace(['-', ' '], "_");
    let alias = ALIASES.iter().find(|(alias, _)| *alias == normalized).map(|(_, status)| *status);
    alias.or_else(|| closest_match(&normalized, statuses()))
}
