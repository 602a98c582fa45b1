//! Turns raw findings into reported ones: applies suppressions, severities and the baseline.

use super::{Check, all, causes, check, find};
use crate::canon::suppression::{Suppression, SuppressionUsage};
use crate::config::closest_match;
use crate::finding::{self, Baseline, Finding, Fingerprint, RawFinding, Severity};
use crate::syntax::{RepoPath, Span};
use std::collections::{BTreeMap, BTreeSet};

/// How much of the repository was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// All of it: a suppression or baseline entry without a finding is unused.
    Full,
    /// Only some files.
    Partial,
}

/// Everything besides the rules that decides what is reported.
pub struct SeverityPolicy<'a> {
    /// The severity of a rule in a file.
    pub severity: &'a dyn Fn(&str, &RepoPath) -> Severity,
    /// The suppression comments of the checked files.
    pub suppressions: Vec<Suppression>,
    /// The baseline, if one is in use.
    pub baseline: Option<&'a Baseline>,
    /// How much of the repository was checked.
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
    let severity = |rule: &'static str, path: &RepoPath| (policy.severity)(rule, path);
    let resolved = finding::resolve(causes::merge(kept), severity);
    let known = policy.baseline.map(Baseline::fingerprints).unwrap_or_default();
    let (mut baselined, mut findings): (Vec<Finding>, Vec<Finding>) =
        resolved.into_iter().partition(|finding| known.contains(&finding.fingerprint));
    let matched: BTreeSet<Fingerprint> = baselined.iter().map(|finding| finding.fingerprint).collect();
    let stale_baseline_entries = if policy.coverage == Coverage::Full { known.len() - matched.len() } else { 0 };
    let mut allowed = finding::resolve(allowed, severity);
    for findings in [&mut allowed, &mut baselined, &mut findings] {
        replace_former_ids(findings);
    }
    ResolvedFindings { findings, allowed, baselined, stale_baseline_entries }
}

/// Reports findings of former rules under the id of the rule that replaced them. Fingerprints keep the former id, so
/// that a baseline written before the merge still matches.
fn replace_former_ids(findings: &mut [Finding]) {
    let mut is_changed = false;
    for finding in findings.iter_mut() {
        if let Some(rule) = find(finding.rule).filter(|rule| rule.id != finding.rule) {
            finding.rule = rule.id;
            is_changed = true;
        }
    }
    if is_changed {
        findings.sort_by(Finding::order);
    }
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
    let replaced_by = find(rule).map_or(rule, |rule| rule.id);
    let mut named = suppression.rules.iter_mut().filter(|named| named.id == rule || named.id == replaced_by).peekable();
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
