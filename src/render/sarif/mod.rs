//! Findings as SARIF 2.1.0, within the limits of GitHub's code scanning: one run, 25,000 results, few tags per rule.

use canonry_app::check::CheckReport;
use canonry_lint::{self as rules, FAMILIES, Finding, Rule};
use canonry_model::finding::{Applicability, Fix, Location, Severity};
use canonry_text::{RepoPath, Source, Span};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// GitHub rejects an upload with more results.
const MAX_RESULTS: usize = 25_000;
/// Related locations per result.
const MAX_LOCATIONS: usize = 100;
/// The key of our fingerprint. The upload adds GitHub's own, which is computed from the line alone.
const FINGERPRINT: &str = "canonry/v1";

/// Whether a result counts. In this order, results are dropped last to first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ResultStatus {
    Reported,
    Baselined,
    Suppressed,
}

/// The log, on one line.
pub fn findings(report: &CheckReport) -> String {
    log(report, MAX_RESULTS)
}

fn log(report: &CheckReport, max_results: usize) -> String {
    let indices: BTreeMap<&str, usize> = rules::all().enumerate().map(|(index, rule)| (rule.id, index)).collect();
    let (kept, dropped) = limit(report, max_results);
    let result = |(finding, status): &(&Finding, ResultStatus)| result(finding, *status, &indices);
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver()},
            "columnKind": "unicodeCodePoints",
            "invocations": [without_empty(json!({
                "executionSuccessful": true,
                "toolExecutionNotifications": notifications(dropped),
            }))],
            "results": kept.iter().map(result).collect::<Value>(),
        }],
    });
    let mut text = log.to_string();
    text.push('\n');
    text
}

/// The results in order, and the number of dropped ones. If there are too many, the most severe are kept.
fn limit(report: &CheckReport, max_results: usize) -> (Vec<(&Finding, ResultStatus)>, usize) {
    let lists = [
        (&report.findings, ResultStatus::Reported),
        (&report.baselined, ResultStatus::Baselined),
        (&report.suppressed, ResultStatus::Suppressed),
    ];
    let with_status = lists.into_iter().flat_map(|(list, status)| list.iter().map(move |finding| (finding, status)));
    let mut all: Vec<(&Finding, ResultStatus)> = with_status.collect();
    if all.len() <= max_results {
        return (all, 0);
    }
    let dropped = all.len() - max_results;
    all.sort_by_key(|(finding, status)| (*status, std::cmp::Reverse(finding.severity)));
    all.truncate(max_results);
    (all, dropped)
}

/// An object without the keys whose value is null or an empty list.
fn without_empty(mut object: Value) -> Value {
    if let Value::Object(keys) = &mut object {
        keys.retain(|_, value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()));
    }
    object
}

fn message(text: &str) -> Value {
    json!({"text": text})
}

fn notifications(dropped: usize) -> Vec<Value> {
    let text = format!("dropped {dropped} results, because an upload can have {MAX_RESULTS}; kept the most severe");
    (dropped > 0).then(|| json!({"level": "warning", "message": message(&text)})).into_iter().collect()
}

fn driver() -> Value {
    let descriptors = |(family, rules): &(&'static str, &[&'static Rule])| {
        let family = *family;
        rules.iter().map(move |rule| descriptor(family, rule)).collect::<Vec<_>>()
    };
    json!({
        "name": env!("CARGO_PKG_NAME"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": FAMILIES.iter().flat_map(descriptors).collect::<Value>(),
    })
}

fn descriptor(family: &str, rule: &Rule) -> Value {
    let severity = rule.severity.team;
    json!({
        "id": rule.id,
        "shortDescription": message(rule.summary),
        "fullDescription": message(rule.summary),
        "help": {"text": rule.docs, "markdown": rule.docs},
        "defaultConfiguration": {"enabled": severity != Severity::Off, "level": level(severity)},
        "properties": {"tags": [family]},
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
        Severity::Off => "none",
    }
}

fn result(finding: &Finding, status: ResultStatus, indices: &BTreeMap<&str, usize>) -> Value {
    let help = finding.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
    let related = finding.related.iter().take(MAX_LOCATIONS).enumerate().map(|(index, related)| {
        json!({
            "id": index + 1,
            "physicalLocation": physical(&related.location),
            "message": message(&related.label),
        })
    });
    without_empty(json!({
        "ruleId": finding.rule.id,
        "ruleIndex": indices.get(finding.rule.id),
        "level": level(finding.severity),
        "message": message(&format!("{}{help}", finding.message)),
        "locations": [{"physicalLocation": physical(&finding.location)}],
        "relatedLocations": related.collect::<Value>(),
        "partialFingerprints": {FINGERPRINT: finding.fingerprint.to_string()},
        "suppressions": suppression(status).into_iter().collect::<Value>(),
        "fixes": finding.fix.iter().filter_map(|fix| sarif_fix(&finding.location, fix)).collect::<Value>(),
    }))
}

fn suppression(status: ResultStatus) -> Option<Value> {
    match status {
        ResultStatus::Reported => None,
        ResultStatus::Baselined => Some(json!({"kind": "external", "justification": "in the baseline"})),
        ResultStatus::Suppressed => Some(json!({"kind": "inSource", "justification": "allowed by a comment"})),
    }
}

fn physical(location: &Location) -> Value {
    let region = match location.source.as_deref() {
        Some(source) => region(source, location.span),
        None => json!({"startLine": location.position.line}),
    };
    json!({"artifactLocation": artifact(&location.path), "region": region})
}

fn region(source: &Source, span: Span) -> Value {
    let start = source.position(span.offset);
    let end = source.position(span.end());
    json!({
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    })
}

fn artifact(path: &RepoPath) -> Value {
    json!({"uri": uri(path), "uriBaseId": "%SRCROOT%"})
}

/// A path as a relative URI.
fn uri(path: &RepoPath) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let escaped = |byte: &u8| if plain(*byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") };
    path.as_bstr().iter().map(escaped).collect()
}

/// The fix, if it is safe: viewers of the log apply it with one click.
fn sarif_fix(location: &Location, fix: &Fix) -> Option<Value> {
    // SARIF cannot express a rename.
    let is_text = fix.rename.is_none() && fix.applicability == Applicability::Safe;
    let source = location.source.as_deref().filter(|_| is_text)?;
    let replacements = fix
        .edits
        .iter()
        .map(|edit| json!({"deletedRegion": region(source, edit.span), "insertedContent": message(&edit.text)}));
    Some(json!({
        "description": message(&fix.title),
        "artifactChanges": [{
            "artifactLocation": artifact(&location.path),
            "replacements": replacements.collect::<Value>(),
        }],
    }))
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
