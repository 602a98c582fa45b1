//! See `context_unreadable.md`.

use crate::canon::context_file::ContextFile;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule, missing};

pub(super) static RULE: Rule = Rule {
    id: "context-unreadable",
    summary: "a context file that gives no text: no bytes, too many, or bytes that are not UTF-8",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("context_unreadable.md"),
    check: Check::Context(check),
};

fn check(file: &ContextFile, drafts: &mut RawFindings) {
    drafts.extend(file.document.as_ref().err().map(|why| missing::draft(&file.path, "file", why)));
}
