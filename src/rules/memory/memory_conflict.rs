//! See `memory_conflict.md`.

use crate::canon::memory_file::MemoryFile;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::{Source, Span};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "memory-conflict",
    summary: "a merge conflict that was left in a Markdown file of the memory",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("memory_conflict.md"),
    check: Check::Memory(check),
};

const HELP: &str = "keep what is true of both sides and take out the lines of markers";

fn check(file: &MemoryFile, findings: &mut RawFindings) {
    let Ok(source) = &file.document else { return };
    let mut open: Option<Span> = None;
    for (span, line) in lines(source) {
        if is_marker(line, "<<<<<<<") {
            findings.extend(open.replace(span).map(|begun| alone(source, begun)));
        } else if is_marker(line, ">>>>>>>") {
            findings.push(match open.take() {
                Some(begun) => RawFinding::new(Location::at(source, begun), "a merge conflict was left here")
                    .related(Location::at(source, span), "it ends here")
                    .help(HELP),
                None => alone(source, span),
            });
        }
    }
    findings.extend(open.map(|begun| alone(source, begun)));
}

fn alone(source: &Arc<Source>, span: Span) -> RawFinding {
    RawFinding::new(Location::at(source, span), "half of a merge conflict was left here").help(HELP)
}

fn lines(source: &Source) -> impl Iterator<Item = (Span, &str)> {
    let mut start = 0;
    source.text().split_inclusive('\n').map(move |whole| {
        let line = whole.trim_end_matches(['\n', '\r']);
        let span = Span::new(start, start + line.len());
        start += whole.len();
        (span, line)
    })
}

/// As git writes them: at the line's start, and with the name of a side. The line between the sides is an ordinary
/// underline of Markdown as well, so that it says nothing.
fn is_marker(line: &str, mark: &str) -> bool {
    line.strip_prefix(mark).and_then(|rest| rest.strip_prefix(' ')).is_some_and(|side| !side.trim().is_empty())
}
