//! See `lessons_opposed.md`.

use super::lessons_long::is_lessons;
use crate::canon::memory_file::MemoryFile;
use crate::finding::{Location, RawFinding, Severity};
use crate::memory::lessons::placed;
use crate::memory::opposing::opposed;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "lessons-opposed",
    summary: "two lessons that say yes and no to the same thing",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("lessons_opposed.md"),
    check: Check::Memory(check),
};

fn check(file: &MemoryFile, findings: &mut RawFindings) {
    let Ok(source) = &file.document else { return };
    if !is_lessons(file) {
        return;
    }
    let lessons = placed(source.text());
    let texts: Vec<&str> = lessons.iter().map(|(text, _)| text.as_str()).collect();
    for (at, others) in opposed(&texts).into_iter().enumerate() {
        // Told once, at the later of the two.
        for other in others.into_iter().filter(|other| *other < at) {
            let message = format!("this is opposed to another lesson: {}", texts[other]);
            let place = |lesson: usize| Location::at(source, lessons[lesson].1);
            let help = "keep the one that holds; strike the other out as `~~…~~`, or say when each of them does";
            findings.push(RawFinding::new(place(at), message).related(place(other), "the other one").help(help));
        }
    }
}
