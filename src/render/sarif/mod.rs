//! Findings as SARIF 2.1.0, within what GitHub's code scanning takes in: one run, at most 25,000 results, few tags a rule.

mod model;

use super::Report;
use crate::finding::{Applicability, Finding, Fix, Location, Severity};
use crate::rules::{self, FAMILIES, Rule};
use crate::syntax::{RepoPath, Source, Span};
use model::{
    Artifact, Change, Configuration, Descriptor, Driver, Help, Invocation, Log, Message, Notification, Outcome,
    Physical, Region, Repair, Replacement, Run, SarifLocation, SarifSuppression, Tags, Tool,
};
use std::collections::BTreeMap;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// Results of a run that an upload may have; one more and all are refused.
const RESULTS: usize = 25_000;
/// Locations of a result that are shown.
const LOCATIONS: usize = 100;
/// Our fingerprint among others'. GitHub's own, of the line alone, is left to the upload to work out.
const FINGERPRINT: &str = "canonry/v1";

/// Why a result is not to be counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Counts,
    Baselined,
    Allowed,
}

/// A whole log, on one line.
pub fn findings(report: &Report<'_>) -> String {
    log(report, RESULTS)
}

fn log(report: &Report<'_>, most: usize) -> String {
    let indices: BTreeMap<&str, usize> = rules::all().enumerate().map(|(index, rule)| (rule.id, index)).collect();
    let (kept, left_out) = within(report, most);
    let outcome = |(finding, standing): &(&Finding, Standing)| outcome(finding, *standing, &indices);
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool { driver: driver() },
            column_kind: "unicodeCodePoints",
            invocations: [Invocation {
                execution_successful: true,
                tool_execution_notifications: notifications(left_out),
            }],
            results: kept.iter().map(outcome).collect(),
        }],
    };
    let mut text = serde_json::to_string(&log).unwrap_or_default();
    text.push('\n');
    text
}

/// The results in their order, of too many the most severe; and how many are left out.
fn within<'a>(report: &Report<'a>, most: usize) -> (Vec<(&'a Finding, Standing)>, usize) {
    let settled = report.settled;
    let of = |findings: &'a [Finding], standing| findings.iter().map(move |finding| (finding, standing));
    let mut all: Vec<(&Finding, Standing)> = of(&settled.findings, Standing::Counts)
        .chain(of(&settled.baselined, Standing::Baselined))
        .chain(of(&settled.allowed, Standing::Allowed))
        .collect();
    if all.len() <= most {
        return (all, 0);
    }
    let left_out = all.len() - most;
    let rank = |(finding, standing): &(&Finding, Standing)| (*standing, std::cmp::Reverse(finding.severity));
    all.sort_by_key(rank);
    all.truncate(most);
    (all, left_out)
}

fn notifications(left_out: usize) -> Vec<Notification> {
    let text = format!("{left_out} results are left out, since an upload may have {RESULTS}; the most severe are kept");
    (left_out > 0).then_some(Notification { level: "warning", message: Message { text } }).into_iter().collect()
}

fn driver() -> Driver {
    let of_family = |(family, rules): &(&'static str, &[&'static Rule])| {
        let family = *family;
        rules.iter().map(move |rule| descriptor(family, rule)).collect::<Vec<_>>()
    };
    Driver {
        name: env!("CARGO_PKG_NAME"),
        semantic_version: env!("CARGO_PKG_VERSION"),
        rules: FAMILIES.iter().flat_map(of_family).collect(),
    }
}

fn descriptor(family: &'static str, rule: &Rule) -> Descriptor {
    let severity = rule.severity.team;
    Descriptor {
        id: rule.id,
        deprecated_ids: rule.former_rules().iter().map(|former| former.id).collect(),
        short_description: Message { text: rule.summary.to_owned() },
        full_description: Message { text: rule.summary.to_owned() },
        help: Help { text: rule.docs, markdown: rule.docs },
        default_configuration: Configuration { enabled: severity != Severity::Off, level: level(severity) },
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

fn outcome(finding: &Finding, standing: Standing, indices: &BTreeMap<&str, usize>) -> Outcome {
    let draft = &finding.raw;
    let help = draft.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
    let related = draft.related.iter().take(LOCATIONS).enumerate();
    Outcome {
        rule_id: finding.rule,
        rule_index: indices.get(finding.rule).copied(),
        level: level(finding.severity),
        message: Message { text: format!("{}{help}", draft.message) },
        locations: [SarifLocation { id: None, physical_location: physical(&draft.location), message: None }],
        related_locations: related
            .map(|(index, related)| SarifLocation {
                id: Some(index + 1),
                physical_location: physical(&related.location),
                message: Some(Message { text: related.label.clone() }),
            })
            .collect(),
        partial_fingerprints: BTreeMap::from([(FINGERPRINT, finding.fingerprint.to_string())]),
        suppressions: suppression(standing).into_iter().collect(),
        fixes: draft.fix.as_ref().and_then(|fix| repair(&draft.location, fix)).into_iter().collect(),
    }
}

fn suppression(standing: Standing) -> Option<SarifSuppression> {
    match standing {
        Standing::Counts => None,
        Standing::Baselined => Some(SarifSuppression { kind: "external", justification: "in the baseline" }),
        Standing::Allowed => Some(SarifSuppression { kind: "inSource", justification: "allowed by a comment" }),
    }
}

fn physical(place: &Location) -> Physical {
    let region = match place.source.as_deref() {
        Some(source) => region(source, place.span),
        None => Region { start_line: place.position.line, start_column: None, end_line: None, end_column: None },
    };
    Physical { artifact_location: artifact(&place.path), region }
}

fn region(source: &Source, span: Span) -> Region {
    let (start, end) = (source.position(span.offset), source.position(span.end()));
    Region {
        start_line: start.line,
        start_column: Some(start.column),
        end_line: Some(end.line),
        end_column: Some(end.column),
    }
}

fn artifact(path: &RepoPath) -> Artifact {
    Artifact { uri: uri(path), uri_base_id: "%SRCROOT%" }
}

/// A path's bytes as a relative URI.
fn uri(path: &RepoPath) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let escaped = |byte: &u8| if plain(*byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") };
    path.as_bstr().iter().map(escaped).collect()
}

/// Only what may be done unasked: whoever reads the log offers it with one click.
fn repair(place: &Location, fix: &Fix) -> Option<Repair> {
    // SARIF has no way to rename a file.
    let is_text = fix.rename.is_none() && fix.applicability == Applicability::Safe;
    let source = place.source.as_deref().filter(|_| is_text)?;
    let replacements = fix.edits.iter().map(|edit| Replacement {
        deleted_region: region(source, edit.span),
        inserted_content: Message { text: edit.text.clone() },
    });
    Some(Repair {
        description: Message { text: fix.title.clone() },
        artifact_changes: [Change { artifact_location: artifact(&place.path), replacements: replacements.collect() }],
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
