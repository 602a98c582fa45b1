//! Reports findings with one cause once: a maintainer who moved a folder has one thing to repair, not eighty.

use crate::finding::RawFinding;
use crate::syntax::RepoPath;
use std::collections::BTreeMap;

/// Related locations that a merged finding names, at most.
const MAX_NAMED: usize = 8;

/// Merges the findings of a rule that name the same cause into the one that is highest in the tree. Those with a fix stay as
/// they are, so that all of them can be fixed.
pub(super) fn merge(findings: Vec<(&'static str, RawFinding)>) -> Vec<(&'static str, RawFinding)> {
    let mut merged = Vec::with_capacity(findings.len());
    let mut groups: BTreeMap<(&'static str, String), Vec<RawFinding>> = BTreeMap::new();
    for (rule, finding) in findings {
        match &finding.cause {
            Some(cause) if finding.fix.is_none() => groups.entry((rule, cause.key.clone())).or_default().push(finding),
            _ => merged.push((rule, finding)),
        }
    }
    merged.extend(groups.into_iter().filter_map(|((rule, _), group)| Some((rule, one(group)?))));
    merged
}

fn one(mut group: Vec<RawFinding>) -> Option<RawFinding> {
    group.sort_by_key(|finding| (depth(&finding.location.path), finding.location.path.clone()));
    let mut all = group.into_iter();
    let mut first = all.next()?;
    let others: Vec<RawFinding> = all.collect();
    if let (Some(cause), false) = (&first.cause, others.is_empty()) {
        let what = if others.len() == 1 { cause.what.0 } else { cause.what.1 };
        first.message = format!("{} (and {} more {what})", first.message, others.len());
    }
    Some(others.into_iter().take(MAX_NAMED).fold(first, |first, other| first.related(other.location, "also here")))
}

fn depth(path: &RepoPath) -> usize {
    path.components().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Fix, Location};

    #[test]
    fn findings_with_one_cause_become_the_highest_of_them() {
        let at = |path: &str| RawFinding::new(Location::file(&RepoPath::from(path)), format!("{path} is bad"));
        let caused = |path: &str, key: &str| at(path).caused_by(key, ("link", "links"));
        let found = merge(vec![
            ("a", caused("x/y/deep", "k")),
            ("a", caused("z", "k")),
            ("a", caused("x/y", "k")),
            ("a", caused("alone", "other")),
            ("b", caused("of another rule", "k")),
            ("a", at("without cause")),
            ("a", caused("x/fixable", "k").fix(Fix::safe("fix it", Vec::new()))),
        ]);
        let mut shown: Vec<_> = found.iter().map(|(rule, f)| (*rule, f.message.as_str(), f.related.len())).collect();
        shown.sort_unstable();
        assert_eq!(
            shown,
            [
                ("a", "alone is bad", 0),
                ("a", "without cause is bad", 0),
                ("a", "x/fixable is bad", 0),
                ("a", "z is bad (and 2 more links)", 2),
                ("b", "of another rule is bad", 0),
            ]
        );
    }
}
