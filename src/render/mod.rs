//! Floor 5: findings and edits for people and for programs.

pub mod diff;
mod excerpt;
pub mod github;
pub mod hook;
pub mod human;
pub mod import;
pub mod init;
pub mod install;
pub mod json;
pub mod memory;
pub mod protocol;
pub mod repositories;
pub mod sarif;
pub mod sync;

use crate::finding::{Applicability, Finding, Severity};
use crate::rules::ResolvedFindings;

/// What was looked at and what was found.
#[derive(Debug)]
pub struct Report<'a> {
    /// What is reported.
    pub settled: &'a ResolvedFindings,
    /// Skills, plans, reports, logs and other files judged.
    pub files: usize,
    /// Skills among them.
    pub skills: usize,
    /// Findings that this run has fixed.
    pub fixed: usize,
}

impl Report<'_> {
    /// The findings that count.
    pub fn findings(&self) -> &[Finding] {
        &self.settled.findings
    }

    /// How many findings can be fixed at all, and how many of them unasked.
    pub fn fixable(&self) -> (usize, usize) {
        let fixes = || self.findings().iter().filter_map(|finding| finding.raw.fix.as_ref());
        (fixes().count(), fixes().filter(|fix| fix.applicability == Applicability::Safe).count())
    }

    /// How many findings have a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings().iter().filter(|f| f.severity == severity).count()
    }
}

/// `1 error`, `2 errors`
pub fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
