//! See `lesson_hidden_text.md`.

use super::hidden_text;
use super::lessons_long::is_lessons;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::memory_file::MemoryFile;
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "lesson-hidden-text",
    summary: "lesson with hidden characters or a prompt injection",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("lesson_hidden_text.md"),
    check: Check::Memory(check),
};

fn check(file: &MemoryFile, findings: &mut Vec<Finding>) {
    if let Ok(source) = &file.document
        && is_lessons(file)
    {
        hidden_text::check(&RULE, source, findings);
    }
}
