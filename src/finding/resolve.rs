//! From what check functions say to findings in the order of every report.

use super::fingerprint::fingerprints;
use super::{Finding, Fingerprint, RawFinding, Severity};
use crate::syntax::RepoPath;

/// The one pass that decides what is reported: `severity_of` gives each rule its severity in a file, what is off is dropped, and
/// the rest is sorted by path, offset and rule, and gets its
/// fingerprints.
pub fn resolve(
    drafts: Vec<(&'static str, RawFinding)>,
    severity_of: impl Fn(&'static str, &RepoPath) -> Severity,
) -> Vec<Finding> {
    let mut findings: Vec<Finding> = drafts
        .into_iter()
        .map(|(rule, draft)| {
            let severity = severity_of(rule, &draft.location.path);
            Finding { rule, severity, raw: draft, fingerprint: Fingerprint::default() }
        })
        .filter(|finding| finding.severity != Severity::Off)
        .collect();
    findings.sort_by(Finding::order);
    let prints = fingerprints(&findings);
    findings.iter_mut().zip(prints).for_each(|(finding, print)| finding.fingerprint = print);
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Location;

    #[test]
    fn settling_sorts_and_drops() {
        let at = |path: &str| RawFinding::new(Location::file(&RepoPath::from(path)), "m");
        let drafts = vec![("b", at("y")), ("a", at("y")), ("off", at("a")), ("c", at("x"))];
        let found = resolve(drafts, |rule, _| if rule == "off" { Severity::Off } else { Severity::Error });
        let order: Vec<_> = found.iter().map(|f| (f.rule, f.raw.location.path.to_display())).collect();
        assert_eq!(order, [("c", "x".to_owned()), ("a", "y".to_owned()), ("b", "y".to_owned())]);
    }
}
