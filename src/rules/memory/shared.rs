//! What the rules on the log share.

use crate::canon::capped::{Capped, SHOWN};
use crate::canon::log::{EpisodeLog, LogDocument, LogRow, RowViolation};
use crate::canon::memory_file::MemoryFile;
use crate::finding::{Location, RawFinding};
use crate::rules::RawFindings;
use crate::syntax::{Position, RepoPath};

/// Whether a file of the memory is the lessons.
pub(super) fn is_lessons(file: &MemoryFile) -> bool {
    file.path.as_bstr().ends_with(b"memory/semantic/LESSONS.md")
}

/// One draft for each of the first rows, and one for all the rest at the place of the first of them.
pub(super) fn each<T>(
    log: &EpisodeLog,
    pick: fn(&LogDocument) -> &Capped<T>,
    draft: impl Fn(&T) -> RawFinding,
    drafts: &mut RawFindings,
) {
    let Ok(document) = &log.document else { return };
    let few = pick(document);
    let (shown, rest) = few.shown();
    drafts.extend(shown.iter().map(&draft));
    drafts.extend(rest.map(|rest| {
        let message =
            format!("{} more places like the {SHOWN} before, of which this is the first", few.count() - SHOWN);
        RawFinding::new(draft(rest).location, message).help("mend those before, and the next ones are told one by one")
    }));
}

/// A row. Its text is not shown: it may be of any length, and the log as a whole is no text where one row is none.
pub(super) fn place(path: &RepoPath, row: LogRow) -> Location {
    Location { path: path.clone(), span: row.span, position: Position { line: row.line, column: 1 }, source: None }
}

/// The value in a row that breaks a schema.
pub(super) fn breach(path: &RepoPath, breach: &RowViolation) -> Location {
    Location { path: path.clone(), span: breach.violation.span, position: breach.at, source: None }
}
