//! From what the rules say to what is reported: suppressions, severities, the baseline.

use super::{Check, all, check_allowance, find};
use crate::canon::suppression::{Suppression, SuppressionUsage};
use crate::config::closest_match;
use crate::finding::{self, Baseline, Finding, Fingerprint, RawFinding, Severity};
use crate::syntax::{RepoPath, Span};
use std::collections::{BTreeMap, BTreeSet};

/// How much was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All there is, so that what did not come up is not there.
    Whole,
    /// Some of it.
    Part,
}

/// What decides about findings beside the rules.
pub struct SeverityPolicy<'a> {
    /// The severity of a rule in a file.
    pub severity: &'a dyn Fn(&str, &RepoPath) -> Severity,
    /// What files allow.
    pub suppressions: Vec<Suppression>,
    /// What is put off.
    pub baseline: Option<&'a Baseline>,
    /// How much was judged.
    pub extent: Extent,
}

/// What is reported.
#[derive(Debug, Default)]
pub struct ResolvedFindings {
    /// What counts.
    pub findings: Vec<Finding>,
    /// What a comment allows.
    pub allowed: Vec<Finding>,
    /// What the baseline puts off.
    pub baselined: Vec<Finding>,
    /// How many entries of the baseline nothing came up for.
    pub outlived: usize,
}

/// The one pass that decides what is reported.
pub fn resolve(drafts: Vec<(&'static str, RawFinding)>, mut terms: SeverityPolicy<'_>) -> ResolvedFindings {
    let mut at: BTreeMap<RepoPath, Vec<usize>> = BTreeMap::new();
    for (index, allowance) in terms.suppressions.iter().enumerate() {
        at.entry(allowance.source.path().clone()).or_default().push(index);
    }
    let is_allowed = |(rule, draft): &(&'static str, RawFinding)| {
        let here = at.get(&draft.location.path).map_or(&[][..], Vec::as_slice);
        // Each that holds is of use, not only the first.
        here.iter().filter(|index| allows(&mut terms.suppressions[**index], rule, draft)).count() > 0
    };
    let (allowed, mut kept): (Vec<_>, Vec<_>) = drafts.into_iter().partition(is_allowed);
    for allowance in &mut terms.suppressions {
        note_unasked(allowance, terms.extent);
        kept.extend(check_allowance(allowance));
    }
    let severity = |rule: &'static str, path: &RepoPath| (terms.severity)(rule, path);
    let settled = finding::resolve(kept, severity);
    let known = terms.baseline.map(Baseline::fingerprints).unwrap_or_default();
    let (baselined, findings): (Vec<Finding>, Vec<Finding>) =
        settled.into_iter().partition(|finding| known.contains(&finding.fingerprint));
    let met: BTreeSet<Fingerprint> = baselined.iter().map(|finding| finding.fingerprint).collect();
    let outlived = if terms.extent == Extent::Whole { known.len() - met.len() } else { 0 };
    ResolvedFindings { findings, allowed: finding::resolve(allowed, severity), baselined, outlived }
}

/// Whether an allowance holds for a finding; it is noted that it does.
fn allows(allowance: &mut Suppression, rule: &str, draft: &RawFinding) -> bool {
    let place = &draft.location;
    let is_whole =
        draft.scope == finding::FindingScope::File || (place.source.is_none() && place.span == Span::default());
    let span = (!is_whole).then_some(place.span);
    // Also of a finding that speaks of the whole file, none allows what it says itself.
    let says_it = allowance.source.path() == &place.path && allowance.span.range().contains(&place.span.offset);
    if (is_whole && place.source.is_some() && says_it) || !allowance.holds_for(&place.path, span) {
        return false;
    }
    let mut named = allowance.rules.iter_mut().filter(|named| named.id == rule).peekable();
    let allows = named.peek().is_some();
    named.for_each(|named| named.usage = SuppressionUsage::Used);
    allows
}

/// What is not there cannot be of use, and rules about the repository as a whole say little of a part of it.
fn note_unasked(allowance: &mut Suppression, extent: Extent) {
    for named in allowance.rules.iter_mut().filter(|named| named.usage == SuppressionUsage::Unused) {
        match find(&named.id).map(|rule| &rule.check) {
            None => named.usage = SuppressionUsage::NoSuchRule(closest_match(&named.id, all().map(|rule| rule.id))),
            Some(Check::Repo(_)) if extent == Extent::Part => named.usage = SuppressionUsage::Unknown,
            Some(_) => {}
        }
    }
}
