//! Makes the report: applies suppressions, severities and the baseline to what the rules found.

use super::{CheckReport, causes};
use canonry_lint::{self as rules, Baseline, Check, Finding, FindingScope, Fingerprint, RuleSet};
use canonry_model::canon::suppression::{Suppression, SuppressionUsage};
use canonry_model::finding::Severity;
use canonry_text::closest_match;
use canonry_text::{RepoPath, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Checked part of the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    /// All of it: a suppression or baseline entry without a finding is unused.
    Full,
    /// Only some files.
    Partial,
}

/// Everything besides the findings that decides what is reported.
pub(super) struct ReportPolicy<'a> {
    /// The rules that ran.
    pub rules: &'a RuleSet,
    /// The severity of a finding.
    pub severity: &'a dyn Fn(&Finding) -> Severity,
    /// The suppression comments of the checked files.
    pub suppressions: Vec<Suppression>,
    /// The baseline, if one is in use.
    pub baseline: Option<&'a Baseline>,
    /// Checked part of the repository.
    pub coverage: Coverage,
}

/// Applies suppressions, severities and the baseline, and sorts the findings.
pub(super) fn report(findings: Vec<Finding>, mut policy: ReportPolicy<'_>) -> CheckReport {
    let mut by_path: BTreeMap<RepoPath, Vec<usize>> = BTreeMap::new();
    for (index, suppression) in policy.suppressions.iter().enumerate() {
        by_path.entry(suppression.source.path().clone()).or_default().push(index);
    }
    let is_suppressed = |finding: &Finding| {
        let here = by_path.get(&finding.location.path).map_or(&[][..], Vec::as_slice);
        // `count` visits every suppression, so that each one that matches is marked as used.
        here.iter().filter(|index| suppresses(&mut policy.suppressions[**index], finding)).count() > 0
    };
    let (suppressed, mut kept): (Vec<_>, Vec<_>) = findings.into_iter().partition(is_suppressed);
    for suppression in &mut policy.suppressions {
        classify_unused(suppression, policy.rules, policy.coverage);
        kept.extend(policy.rules.check(suppression));
    }
    let resolved = rules::resolve(causes::merge(kept), policy.severity);
    let known = policy.baseline.map(Baseline::fingerprints).unwrap_or_default();
    let (baselined, findings): (Vec<Finding>, Vec<Finding>) =
        resolved.into_iter().partition(|finding| known.contains(&finding.fingerprint));
    let matched: BTreeSet<Fingerprint> = baselined.iter().map(|finding| finding.fingerprint).collect();
    let stale_baseline_entries = if policy.coverage == Coverage::Full { known.len() - matched.len() } else { 0 };
    let suppressed = rules::resolve(suppressed, policy.severity);
    CheckReport { findings, suppressed, baselined, stale_baseline_entries, ..CheckReport::default() }
}

/// Whether a suppression applies to a finding. Marks it as used if it does.
fn suppresses(suppression: &mut Suppression, finding: &Finding) -> bool {
    let location = &finding.location;
    let is_whole_file =
        finding.scope == FindingScope::File || (location.source.is_none() && location.span == Span::default());
    let span = (!is_whole_file).then_some(location.span);
    // A comment never suppresses a finding about its own text, not even one that concerns the whole file.
    let is_about_itself =
        suppression.source.path() == &location.path && suppression.span.range().contains(&location.span.offset);
    if (is_whole_file && location.source.is_some() && is_about_itself) || !suppression.applies_to(&location.path, span)
    {
        return false;
    }
    let mut named = suppression.rules.iter_mut().filter(|named| named.id == finding.rule.id).peekable();
    let suppresses = named.peek().is_some();
    named.for_each(|named| named.usage = SuppressionUsage::Used);
    suppresses
}

/// Distinguishes unused suppressions from those of unknown rules, of rules that did not run, and of repository-wide rules
/// that a partial check does not run in full.
fn classify_unused(suppression: &mut Suppression, ran: &RuleSet, coverage: Coverage) {
    for named in suppression.rules.iter_mut().filter(|named| named.usage == SuppressionUsage::Unused) {
        let Some(rule) = rules::find(&named.id) else {
            named.usage = SuppressionUsage::NoSuchRule(closest_match(&named.id, rules::ids()));
            continue;
        };
        let is_partial = matches!(rule.check, Check::Repo(_)) && coverage == Coverage::Partial;
        if is_partial || !ran.contains(rule.id) {
            named.usage = SuppressionUsage::Unknown;
        }
    }
}
