//! Limits the findings of one rule in one file. A single misspelled `goto` can make any number of steps unreachable.

use crate::Finding;
use canonry_model::canon::capped::SHOWN;

/// Replaces everything after the first [`SHOWN`] findings by one finding that counts the rest.
pub(super) fn limit_findings(findings: &mut Vec<Finding>) {
    findings.sort_by_key(|finding| finding.location.span);
    // A single further finding takes no more space than the count.
    if findings.len() <= SHOWN + 1 {
        return;
    }
    let count = findings.len() - SHOWN;
    findings.truncate(SHOWN + 1);
    if let Some(first) = findings.pop() {
        findings.push(further(count, &first));
    }
}

/// A finding that replaces `count` others, at the location of the first one.
pub(super) fn further(count: usize, first: &Finding) -> Finding {
    let message = format!("{count} more findings like the {SHOWN} above; this is the first one");
    first
        .rule
        .at(first.location.clone(), message)
        .help("fix the findings above first; the next run reports the following ones")
}
