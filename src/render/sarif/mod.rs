//! Findings as SARIF 2.1.0, within the limits of GitHub's code scanning: one run, 25,000 results, few tags per rule.

mod model;

use canonry_app::check::CheckReport;
use canonry_lint::{self as rules, FAMILIES, Finding, Rule};
use canonry_model::finding::{Applicability, Fix, Location, Severity};
use canonry_text::{RepoPath, Source, Span};
use model::{
    ArtifactChange, ArtifactLocation, Driver, Invocation, Log, Message, MultiformatMessage, Notification,
    PhysicalLocation, Region, ReportingConfiguration, ReportingDescriptor, ResultSuppression, SarifFix, SarifLocation,
    SarifReplacement, SarifResult, SarifRun, Tags, Tool,
};
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
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [SarifRun {
            tool: Tool { driver: driver() },
            column_kind: "unicodeCodePoints",
            invocations: [Invocation {
                execution_successful: true,
                tool_execution_notifications: notifications(dropped),
            }],
            results: kept.iter().map(result).collect(),
        }],
    };
    let mut text = serde_json::to_string(&log).expect("texts and numbers have a JSON form");
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

fn notifications(dropped: usize) -> Vec<Notification> {
    let text = format!("dropped {dropped} results, because an upload can have {MAX_RESULTS}; kept the most severe");
    (dropped > 0).then_some(Notification { level: "warning", message: Message { text } }).into_iter().collect()
}

fn driver() -> Driver {
    let descriptors = |(family, rules): &(&'static str, &[&'static Rule])| {
        let family = *family;
        rules.iter().map(move |rule| descriptor(family, rule)).collect::<Vec<_>>()
    };
    Driver {
        name: env!("CARGO_PKG_NAME"),
        semantic_version: env!("CARGO_PKG_VERSION"),
        rules: FAMILIES.iter().flat_map(descriptors).collect(),
    }
}

fn descriptor(family: &'static str, rule: &Rule) -> ReportingDescriptor {
    let severity = rule.severity.team;
    ReportingDescriptor {
        id: rule.id,
        short_description: Message { text: rule.summary.to_owned() },
        full_description: Message { text: rule.summary.to_owned() },
        help: MultiformatMessage { text: rule.docs, markdown: rule.docs },
        default_configuration: ReportingConfiguration { enabled: severity != Severity::Off, level: level(severity) },
        properties: Tags { tags: [family] },
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
        Severity::Off => "none",
    }
}

fn result(finding: &Finding, status: ResultStatus, indices: &BTreeMap<&str, usize>) -> SarifResult {
    let help = finding.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
    let related = finding.related.iter().take(MAX_LOCATIONS).enumerate();
    SarifResult {
        rule_id: finding.rule.id,
        rule_index: indices.get(finding.rule.id).copied(),
        level: level(finding.severity),
        message: Message { text: format!("{}{help}", finding.message) },
        locations: [SarifLocation { id: None, physical_location: physical(&finding.location), message: None }],
        related_locations: related
            .map(|(index, related)| SarifLocation {
                id: Some(index + 1),
                physical_location: physical(&related.location),
                message: Some(Message { text: related.label.clone() }),
            })
            .collect(),
        partial_fingerprints: BTreeMap::from([(FINGERPRINT, finding.fingerprint.to_string())]),
        suppressions: suppression(status).into_iter().collect(),
        fixes: finding.fix.as_ref().and_then(|fix| sarif_fix(&finding.location, fix)).into_iter().collect(),
    }
}

fn suppression(status: ResultStatus) -> Option<ResultSuppression> {
    match status {
        ResultStatus::Reported => None,
        ResultStatus::Baselined => Some(ResultSuppression { kind: "external", justification: "in the baseline" }),
        ResultStatus::Suppressed => Some(ResultSuppression { kind: "inSource", justification: "allowed by a comment" }),
    }
}

fn physical(location: &Location) -> PhysicalLocation {
    let region = match location.source.as_deref() {
        Some(source) => region(source, location.span),
        None => Region { start_line: location.position.line, start_column: None, end_line: None, end_column: None },
    };
    PhysicalLocation { artifact_location: artifact(&location.path), region }
}

fn region(source: &Source, span: Span) -> Region {
    let start = source.position(span.offset);
    let end = source.position(span.end());
    Region {
        start_line: start.line,
        start_column: Some(start.column),
        end_line: Some(end.line),
        end_column: Some(end.column),
    }
}

fn artifact(path: &RepoPath) -> ArtifactLocation {
    ArtifactLocation { uri: uri(path), uri_base_id: "%SRCROOT%" }
}

/// A path as a relative URI.
fn uri(path: &RepoPath) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let escaped = |byte: &u8| if plain(*byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") };
    path.as_bstr().iter().map(escaped).collect()
}

/// The fix, if it is safe: viewers of the log apply it with one click.
fn sarif_fix(location: &Location, fix: &Fix) -> Option<SarifFix> {
    // SARIF cannot express a rename.
    let is_text = fix.rename.is_none() && fix.applicability == Applicability::Safe;
    let source = location.source.as_deref().filter(|_| is_text)?;
    let replacements = fix.edits.iter().map(|edit| SarifReplacement {
        deleted_region: region(source, edit.span),
        inserted_content: Message { text: edit.text.clone() },
    });
    Some(SarifFix {
        description: Message { text: fix.title.clone() },
        artifact_changes: [ArtifactChange {
            artifact_location: artifact(&location.path),
            replacements: replacements.collect(),
        }],
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
