//! Limits the findings of one rule in one file. A single misspelled `goto` can make any number of steps unreachable.

use super::RawFindings;
use canonry_model::canon::capped::SHOWN;
use canonry_model::finding::{Location, RawFinding};

/// Replaces everything after the first [`SHOWN`] findings by one finding that counts the rest.
pub(super) fn limit_findings(findings: &mut RawFindings) {
    findings.sort_by_key(|finding| finding.location.span);
    // A single further finding takes no more space than the count.
    if findings.len() <= SHOWN + 1 {
        return;
    }
    let count = findings.len() - SHOWN;
    findings.truncate(SHOWN + 1);
    if let Some(first) = findings.pop() {
        findings.push(further(count, first.location));
    }
}

/// A finding that replaces `count` others, at the location of the first one.
pub(super) fn further(count: usize, location: Location) -> RawFinding {
    RawFinding::new(location, format!("{count} more findings like the {SHOWN} above; this is the first one"))
        .help("fix the findings above first; the next run reports the following ones")
}
