//! Floor 5: findings and edits for people and for programs.

pub mod diff;
pub mod human;
pub mod json;

use crate::finding::{Finding, Severity};

/// What was looked at and what was found.
#[derive(Debug)]
pub struct Report<'a> {
    /// Settled findings.
    pub findings: &'a [Finding],
    /// Skills, plans, reports, logs and other files judged.
    pub files: usize,
    /// Skills among them.
    pub skills: usize,
}

impl Report<'_> {
    /// How many findings have a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.severity == severity).count()
    }
}

/// `1 error`, `2 errors`
pub fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
