//! The versioned JSON documents, described in `schemas/`.

use super::statistics::{RuleCount, count_by_rule};
use canonry_app::check::CheckReport;
use canonry_lint::Finding;
use canonry_model::finding::{Location, Severity};
use serde::Serialize;
use serde_json::{Value, json};

/// The document `canonry/findings/v1`, with a final newline.
pub fn findings(report: &CheckReport) -> String {
    to_text(&document(report))
}

/// The same document with the number of findings per rule.
pub fn findings_with_statistics(report: &CheckReport) -> String {
    let row = |count: RuleCount| {
        json!({
            "rule": count.rule,
            "severity": count.severity.as_str(),
            "findings": count.findings,
            "fixable": count.fixable,
            "safely_fixable": count.safely_fixable,
        })
    };
    let mut document = document(report);
    document["statistics"] = count_by_rule(&report.findings).into_iter().map(row).collect();
    to_text(&document)
}

fn document(report: &CheckReport) -> Value {
    json!({
        "schema": "canonry/findings/v1",
        "findings": report.findings.iter().map(finding).collect::<Value>(),
        "summary": {
            "files": report.files,
            "skills": report.skills,
            "errors": report.count(Severity::Error),
            "warnings": report.count(Severity::Warning),
            "infos": report.count(Severity::Info),
            "allowed": report.suppressed.len(),
            "baselined": report.baselined.len(),
            "fixed": report.fixed,
            "excluded": report.excluded.values().sum::<usize>(),
        },
    })
}

/// A document whose first key names its schema.
#[derive(Serialize)]
struct SchemaDocument<'a, T> {
    schema: &'static str,
    #[serde(flatten)]
    content: &'a T,
}

/// A value as the document that a schema describes.
pub fn document_of(schema: &'static str, content: &impl Serialize) -> String {
    to_text(&SchemaDocument { schema, content })
}

/// A document as text.
pub fn to_text(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).expect("texts and numbers have a JSON form");
    text.push('\n');
    text
}

fn finding(finding: &Finding) -> Value {
    let related = finding.related.iter();
    json!({
        "rule": finding.rule.id,
        "severity": finding.severity.as_str(),
        "message": finding.message,
        "help": finding.help,
        "path": finding.location.path,
        "span": span(&finding.location),
        "related": related
            .map(|related| {
                json!({"path": related.location.path, "span": span(&related.location), "label": related.label})
            })
            .collect::<Value>(),
        "fixable": finding.fix.is_some(),
        "fix": finding
            .fix
            .as_ref()
            .map(|fix| json!({"applicability": fix.applicability.as_str(), "title": fix.title})),
    })
}

fn span(location: &Location) -> Value {
    json!({
        "offset": location.span.offset,
        "length": location.span.length,
        "line": location.position.line,
        "column": location.position.column,
    })
}
