//! See `report_schema.md`.

use crate::violations::describe;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::report::{Report, is_number_id};
use canonry_model::canon::schema::Violation;
use canonry_model::finding::{Fix, Location, Severity, TextEdit};

pub(super) static RULE: Rule = Rule {
    id: "report-schema",
    summary: "report does not match the built-in schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("report_schema.md"),
    check: Check::Each(&[Check::Report(check), Check::Report(check_json)]),
};

fn check(report: &Report, findings: &mut Vec<Finding>) {
    let Ok(document) = &report.document else { return };
    let root = document.json.as_ref().ok().map(|json| &json.root);
    for violation in document.violations.iter().filter(|violation| violation.team.is_none()) {
        let mut finding =
            RULE.at(Location::at(&document.source, violation.span), describe(violation)).help(help(violation));
        if root.is_some_and(|root| is_number_id(root, violation)) {
            let text = document.source.slice(violation.span);
            let quoted = format!("\"{text}\"");
            finding.fix =
                Some(Fix::safe(format!("quote `{text}`"), vec![TextEdit::new(violation.span, quoted.clone())]));
            finding = finding.severity(Defaults::both(Severity::Info)).help(format!("quote it: {quoted}"));
        }
        findings.push(finding);
    }
}

fn help(violation: &Violation) -> &'static str {
    let last = violation.pointer.rsplit('/').next().unwrap_or_default();
    match (last, violation.key.as_deref()) {
        ("outcome", _) => {
            "write `success` for a finished step, `failure` for one to retry, or `blocked` for one that waits"
        }
        (_, Some("artifacts")) => "list the changed files and the tests that ran, or write `[]`",
        (_, Some("details")) => "add a sentence that says what was done",
        (_, Some("timestamp")) => "add the time, such as `\"timestamp\": \"2026-05-01T09:30:00Z\"`",
        (_, Some("file" | "status" | "result")) => {
            "an artifact is either a `file` with a `status` or a `test` with a `result`"
        }
        ("commit", _) => "write a commit id of at least 7 lower-case hexadecimal digits",
        _ => "run `canonry schema report` for the valid keys and values",
    }
}

/// Report is not valid JSON.
fn check_json(report: &Report, findings: &mut Vec<Finding>) {
    let Ok(document) = &report.document else { return };
    let source = &document.source;
    match &document.json {
        Err(error) => {
            let message = format!("invalid JSON: {}", error.message);
            findings.push(RULE.at(Location::at(source, error.span), message).help("write one JSON object"));
        }
        Ok(json) => findings.extend(json.duplicates.iter().map(|duplicate| {
            RULE.at(Location::at(source, duplicate.span), format!("duplicate key `{}`", duplicate.key))
                .related(Location::at(source, duplicate.first), "first defined here; most parsers ignore this value")
                .help("keep one of the two")
        })),
    }
}
