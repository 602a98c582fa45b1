//! See `memory_unreadable.md`.

use crate::canon::memory_file::MemoryFile;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule, missing};

pub(super) static RULE: Rule = Rule {
    id: "memory-unreadable",
    summary: "a Markdown file of the memory that gives no text: no bytes, or bytes that are not UTF-8",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("memory_unreadable.md"),
    check: Check::Memory(check),
};

fn check(file: &MemoryFile, drafts: &mut RawFindings) {
    drafts.extend(file.document.as_ref().err().map(|why| missing::draft(&file.path, "file", why)));
}
