//! The versioned JSON documents, described in `schemas/`.

use super::statistics::{RuleCount, count_by_rule};
use canonry_app::check::CheckReport;
use canonry_lint::Finding;
use canonry_model::finding::{Location, Severity};
use serde::Serialize;

#[derive(Serialize)]
struct FindingsDocument<'a> {
    schema: &'static str,
    findings: Vec<JsonFinding<'a>>,
    summary: Summary,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<Vec<JsonRuleCount>>,
}

#[derive(Serialize)]
struct JsonRuleCount {
    rule: &'static str,
    severity: &'static str,
    findings: usize,
    fixable: usize,
    safely_fixable: usize,
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    rule: &'static str,
    severity: &'static str,
    message: &'a str,
    help: Option<&'a str>,
    path: String,
    span: JsonSpan,
    related: Vec<JsonRelated<'a>>,
    fixable: bool,
    fix: Option<JsonFix<'a>>,
}

#[derive(Serialize)]
struct JsonFix<'a> {
    applicability: &'static str,
    title: &'a str,
}

#[derive(Serialize)]
struct JsonSpan {
    offset: usize,
    length: usize,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct JsonRelated<'a> {
    path: String,
    span: JsonSpan,
    label: &'a str,
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    skills: usize,
    errors: usize,
    warnings: usize,
    infos: usize,
    allowed: usize,
    baselined: usize,
    fixed: usize,
    excluded: usize,
}

/// The document `canonry/findings/v1`, with a final newline.
pub fn findings(report: &CheckReport) -> String {
    to_text(&document(report))
}

/// The same document with the number of findings per rule.
pub fn findings_with_statistics(report: &CheckReport) -> String {
    let row = |count: RuleCount| JsonRuleCount {
        rule: count.rule,
        severity: count.severity.as_str(),
        findings: count.findings,
        fixable: count.fixable,
        safely_fixable: count.safely_fixable,
    };
    let statistics = count_by_rule(&report.findings).into_iter().map(row).collect();
    to_text(&FindingsDocument { statistics: Some(statistics), ..document(report) })
}

fn document(report: &CheckReport) -> FindingsDocument<'_> {
    FindingsDocument {
        schema: "canonry/findings/v1",
        findings: report.findings.iter().map(finding).collect(),
        summary: Summary {
            files: report.files,
            skills: report.skills,
            errors: report.count(Severity::Error),
            warnings: report.count(Severity::Warning),
            infos: report.count(Severity::Info),
            allowed: report.suppressed.len(),
            baselined: report.baselined.len(),
            fixed: report.fixed,
            excluded: report.excluded.values().sum(),
        },
        statistics: None,
    }
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

fn finding(finding: &Finding) -> JsonFinding<'_> {
    JsonFinding {
        rule: finding.rule.id,
        severity: finding.severity.as_str(),
        message: &finding.message,
        help: finding.help.as_deref(),
        path: finding.location.path.to_display(),
        span: span(&finding.location),
        related: finding
            .related
            .iter()
            .map(|r| JsonRelated { path: r.location.path.to_display(), span: span(&r.location), label: &r.label })
            .collect(),
        fixable: finding.fix.is_some(),
        fix: finding.fix.as_ref().map(|fix| JsonFix { applicability: fix.applicability.as_str(), title: &fix.title }),
    }
}

fn span(location: &Location) -> JsonSpan {
    JsonSpan {
        offset: location.span.offset,
        length: location.span.length,
        line: location.position.line,
        column: location.position.column,
    }
}
