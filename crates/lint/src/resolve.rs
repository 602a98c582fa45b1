//! Turns raw findings into reported ones: applies suppressions, severities and the baseline.

use super::{Check, all, causes, check, find};
use canonry_model::canon::suppression::{Suppression, SuppressionUsage};
use canonry_model::config::closest_match;
use canonry_model::finding::{self, Baseline, Finding, Fingerprint, RawFinding, Severity};
use canonry_text::{RepoPath, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Checked part of the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// All of it: a suppression or baseline entry without a finding is unused.
    Full,
    /// Only some files.
    Partial,
}

/// Everything besides the rules that decides what is reported.
pub struct SeverityPolicy<'a> {
    /// The severity of a rule's finding.
    pub severity: &'a dyn Fn(&str, &RawFinding) -> Severity,
    /// The suppression comments of the checked files.
    pub suppressions: Vec<Suppression>,
    /// The baseline, if one is in use.
    pub baseline: Option<&'a Baseline>,
    /// Checked part of the repository.
    pub coverage: Coverage,
}

/// The reported findings.
#[derive(Debug, Default)]
pub struct ResolvedFindings {
    /// Findings that count.
    pub findings: Vec<Finding>,
    /// Findings that a comment suppresses.
    pub allowed: Vec<Finding>,
    /// Findings that the baseline contains.
    pub baselined: Vec<Finding>,
    /// The number of baseline entries without a finding.
    pub stale_baseline_entries: usize,
}

/// Applies suppressions, severities and the baseline, and sorts the findings.
pub fn resolve(raw: Vec<(&'static str, RawFinding)>, mut policy: SeverityPolicy<'_>) -> ResolvedFindings {
    let mut by_path: BTreeMap<RepoPath, Vec<usize>> = BTreeMap::new();
    for (index, suppression) in policy.suppressions.iter().enumerate() {
        by_path.entry(suppression.source.path().clone()).or_default().push(index);
    }
    let is_suppressed = |(rule, finding): &(&'static str, RawFinding)| {
        let here = by_path.get(&finding.location.path).map_or(&[][..], Vec::as_slice);
        // `count` visits every suppression, so that each one that matches is marked as used.
        here.iter().filter(|index| suppresses(&mut policy.suppressions[**index], rule, finding)).count() > 0
    };
    let (allowed, mut kept): (Vec<_>, Vec<_>) = raw.into_iter().partition(is_suppressed);
    for suppression in &mut policy.suppressions {
        classify_unused(suppression, policy.coverage);
        kept.extend(check(suppression));
    }
    let severity = |rule: &'static str, finding: &RawFinding| (policy.severity)(rule, finding);
    let resolved = finding::resolve(causes::merge(kept), severity);
    let known = policy.baseline.map(Baseline::fingerprints).unwrap_or_default();
    let (baselined, findings): (Vec<Finding>, Vec<Finding>) =
        resolved.into_iter().partition(|finding| known.contains(&finding.fingerprint));
    let matched: BTreeSet<Fingerprint> = baselined.iter().map(|finding| finding.fingerprint).collect();
    let stale_baseline_entries = if policy.coverage == Coverage::Full { known.len() - matched.len() } else { 0 };
    let allowed = finding::resolve(allowed, severity);
    ResolvedFindings { findings, allowed, baselined, stale_baseline_entries }
}

/// Whether a suppression applies to a finding. Marks it as used if it does.
fn suppresses(suppression: &mut Suppression, rule: &str, finding: &RawFinding) -> bool {
    let location = &finding.location;
    let is_whole_file =
        finding.scope == finding::FindingScope::File || (location.source.is_none() && location.span == Span::default());
    let span = (!is_whole_file).then_some(location.span);
    // A comment never suppresses a finding about its own text, not even one that concerns the whole file.
    let is_about_itself =
        suppression.source.path() == &location.path && suppression.span.range().contains(&location.span.offset);
    if (is_whole_file && location.source.is_some() && is_about_itself) || !suppression.applies_to(&location.path, span)
    {
        return false;
    }
    let mut named = suppression.rules.iter_mut().filter(|named| named.id == rule).peekable();
    let suppresses = named.peek().is_some();
    named.for_each(|named| named.usage = SuppressionUsage::Used);
    suppresses
}

/// Distinguishes unused suppressions from those of unknown rules, and from those of repository-wide rules that a partial
/// check does not run in full.
fn classify_unused(suppression: &mut Suppression, coverage: Coverage) {
    for named in suppression.rules.iter_mut().filter(|named| named.usage == SuppressionUsage::Unused) {
        match find(&named.id).map(|rule| &rule.check) {
            None => named.usage = SuppressionUsage::NoSuchRule(closest_match(&named.id, all().map(|rule| rule.id))),
            Some(Check::Repo(_)) if coverage == Coverage::Partial => named.usage = SuppressionUsage::Unknown,
            Some(_) => {}
        }
    }
}
