//! Findings for the rows of the episodic log.

use crate::Finding;
use crate::limit::further;
use canonry_model::canon::capped::{Capped, SHOWN};
use canonry_model::canon::log::{EpisodeLog, LogDocument, LogRow, RowViolation};
use canonry_model::finding::Location;
use canonry_text::{Position, RepoPath};

/// Reports the first rows one by one, and all others in one finding at the first of them.
pub(crate) fn report<T>(
    log: &EpisodeLog,
    rows: fn(&LogDocument) -> &Capped<T>,
    finding: impl Fn(&T) -> Finding,
    findings: &mut Vec<Finding>,
) {
    let Ok(document) = &log.document else { return };
    let rows = rows(document);
    let (shown, rest) = rows.shown();
    findings.extend(shown.iter().map(&finding));
    findings.extend(rest.map(|rest| further(rows.count() - SHOWN, &finding(rest))));
}

/// The location of a row. It has no text: rows can be of any length, and one row that is not UTF-8 makes the whole log
/// unreadable as text.
pub(crate) fn row_location(path: &RepoPath, row: LogRow) -> Location {
    Location { path: path.clone(), span: row.span, position: Position { line: row.line, column: 1 }, source: None }
}

/// The location of a value that violates a schema.
pub(crate) fn breach_location(path: &RepoPath, breach: &RowViolation) -> Location {
    Location { path: path.clone(), span: breach.violation.span, position: breach.at, source: None }
}
