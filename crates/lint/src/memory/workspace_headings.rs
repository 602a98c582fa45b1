//! See `workspace_headings.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::memory_file::{MemoryFile, WORKSPACE_HEADINGS};
use canonry_model::finding::{Location, Severity};
use canonry_text::Span;
use canonry_text::sections::sections;

/// Lines up to which a workspace is a note that needs no structure.
const SHORT_NOTE: usize = 10;

pub(super) static RULE: Rule = Rule {
    id: "workspace-headings",
    summary: "workspace lacks its headings",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("workspace_headings.md"),
    check: Check::Memory(check),
};

fn check(file: &MemoryFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    if !file.path.as_bstr().ends_with(b"memory/working/WORKSPACE.md") {
        return;
    }
    let titles: Vec<String> =
        sections(source.text(), 0).into_iter().map(|section| section.title.trim().to_lowercase()).collect();
    let is_missing = |heading: &&str| !titles.contains(&heading.to_lowercase());
    let missing: Vec<String> =
        WORKSPACE_HEADINGS.into_iter().filter(is_missing).map(|heading| format!("\"{heading}\"")).collect();
    let lines = source.text().lines().filter(|line| !line.trim().is_empty()).count();
    let is_note = missing.len() == WORKSPACE_HEADINGS.len() && lines <= SHORT_NOTE;
    if missing.is_empty() || is_note {
        return;
    }
    let message = format!("the workspace has no heading {}", missing.join(", "));
    let help = "add the headings, so that the next session finds the task, its state and the next step";
    findings.push(RULE.at(Location::at(source, Span::new(0, 0)), message).help(help));
}
