//! See `memory_conflict.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::memory_file::MemoryFile;
use canonry_model::finding::{Location, Severity};
use canonry_text::conflict::ConflictMarker;
use canonry_text::{Source, Span};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "memory-conflict",
    summary: "merge conflict marker in a memory file",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("memory_conflict.md"),
    check: Check::Memory(check),
};

const HELP: &str = "keep what is true on both sides, and remove the marker lines";

fn check(file: &MemoryFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    let mut open: Option<Span> = None;
    for (span, line) in lines(source) {
        match side(line) {
            Some(ConflictMarker::Ours) => {
                findings.extend(open.replace(span).map(|start| lone_marker(source, start)));
            }
            Some(ConflictMarker::End) => findings.push(match open.take() {
                Some(start) => RULE
                    .at(Location::at(source, start), "unresolved merge conflict")
                    .related(Location::at(source, span), "the conflict ends here")
                    .help(HELP),
                None => lone_marker(source, span),
            }),
            _ => {}
        }
    }
    findings.extend(open.map(|start| lone_marker(source, start)));
}

fn lone_marker(source: &Arc<Source>, span: Span) -> Finding {
    RULE.at(Location::at(source, span), "merge conflict marker without its counterpart").help(HELP)
}

/// The marker of a line, if git names a side in it. Without a name, Markdown explains it: `=======` underlines a heading, and
/// `>>>>>>>` is a quote.
fn side(line: &str) -> Option<ConflictMarker> {
    let (_, name) = line.split_once(' ')?;
    ConflictMarker::of(line.as_bytes()).filter(|_| !name.trim().is_empty())
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
