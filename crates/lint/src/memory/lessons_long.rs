//! See `lessons_long.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_memory::lessons::{MAX_LINES, count_read_lines, end_of_read_lines};
use canonry_model::canon::memory_file::MemoryFile;
use canonry_model::finding::{Location, Severity};
use canonry_text::Span;

pub(super) static RULE: Rule = Rule {
    id: "lessons-long",
    summary: "list of lessons is longer than agents read",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("lessons_long.md"),
    check: Check::Memory(check),
};

fn check(file: &MemoryFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    let count = count_read_lines(source.text());
    if !is_lessons(file) || count <= MAX_LINES {
        return;
    }
    let end = end_of_read_lines(source.text());
    let message = format!("the file has {count} lines of text; agents read at most the first {MAX_LINES}");
    let help = "run `canonry dream` and `canonry memory review`, which proposes lessons to retire, and merge similar lessons by hand";
    findings.push(RULE.at(Location::at(source, Span::new(end, end)), message).help(help));
}

/// Whether a memory file is the list of lessons.
pub(super) fn is_lessons(file: &MemoryFile) -> bool {
    file.path.as_bstr().ends_with(b"memory/semantic/LESSONS.md")
}
