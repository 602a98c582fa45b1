//! The versioned JSON documents; `schemas/` describes them.

use super::Report;
use crate::finding::{Finding, Location, Severity};
use serde::Serialize;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    findings: Vec<JsonFinding<'a>>,
    summary: Summary,
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
}

/// `canonry/findings/v1`, one document, with a last newline.
pub fn findings(report: &Report<'_>) -> String {
    let document = Document {
        schema: "canonry/findings/v1",
        findings: report.findings().iter().map(finding).collect(),
        summary: Summary {
            files: report.files,
            skills: report.skills,
            errors: report.count(Severity::Error),
            warnings: report.count(Severity::Warning),
            infos: report.count(Severity::Info),
            allowed: report.settled.allowed.len(),
            baselined: report.settled.baselined.len(),
            fixed: report.fixed,
        },
    };
    to_text(&document)
}

/// Any document as text; serialising plain structs of strings and numbers cannot fail.
pub fn to_text(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

fn finding(finding: &Finding) -> JsonFinding<'_> {
    let draft = &finding.raw;
    JsonFinding {
        rule: finding.rule,
        severity: finding.severity.as_str(),
        message: &draft.message,
        help: draft.help.as_deref(),
        path: draft.location.path.to_display(),
        span: span(&draft.location),
        related: draft
            .related
            .iter()
            .map(|r| JsonRelated { path: r.location.path.to_display(), span: span(&r.location), label: &r.label })
            .collect(),
        fixable: draft.fix.is_some(),
        fix: draft.fix.as_ref().map(|fix| JsonFix { applicability: fix.applicability.as_str(), title: &fix.title }),
    }
}

fn span(place: &Location) -> JsonSpan {
    JsonSpan {
        offset: place.span.offset,
        length: place.span.length,
        line: place.position.line,
        column: place.position.column,
    }
}
