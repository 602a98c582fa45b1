//! See `lessons_opposed.md`.

use super::lessons_long::is_lessons;
use crate::{Check, Defaults, Finding, Rule};
use canonry_memory::lessons::lessons;
use canonry_memory::opposites::find_contradictions;
use canonry_model::canon::memory_file::MemoryFile;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "lessons-opposed",
    summary: "lessons that contradict each other",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("lessons_opposed.md"),
    check: Check::Memory(check),
};

fn check(file: &MemoryFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    if !is_lessons(file) {
        return;
    }
    let lessons = lessons(source.text());
    let texts: Vec<&str> = lessons.iter().map(|lesson| lesson.text.as_str()).collect();
    for (at, others) in find_contradictions(&texts).into_iter().enumerate() {
        // Each pair is reported once, at the later lesson.
        for other in others.into_iter().filter(|other| *other < at) {
            let message = format!("this lesson contradicts another one: {}", texts[other]);
            let location = |lesson: usize| Location::at(source, lessons[lesson].span);
            let help =
                "keep the lesson that is true and strike out the other (`~~…~~`), or state when each of them applies";
            findings.push(RULE.at(location(at), message).related(location(other), "the other lesson").help(help));
        }
    }
}
