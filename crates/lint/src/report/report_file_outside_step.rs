//! See `report_file_outside_step.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::report::Report;
use canonry_model::canon::report_entry::ReportEntry;
use canonry_model::canon::report_evidence::CommitEvidence;
use canonry_model::finding::{Location, Severity};
use canonry_runs::plan::StepFiles;
use canonry_text::{RepoPath, Span};

pub(super) static RULE: Rule = Rule {
    id: "report-file-outside-step",
    summary: "attempt changes other files, or more lines, than its step allows",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("report_file_outside_step.md"),
    check: Check::Each(&[Check::Report(check), Check::Report(check_size)]),
};

/// The number of files that one message names.
const NAMED: usize = 3;

fn check(report: &Report, findings: &mut Vec<Finding>) {
    let (Ok(document), Some(plan)) = (&report.document, &report.plan) else { return };
    for entry in &document.entries {
        let Some(step) = entry.step.as_ref().and_then(|id| plan.step(&id.text)) else { continue };
        if step.files.is_empty() {
            continue;
        }
        let files = Location::at(&plan.document.source, step.files.first().map_or(step.head(), |file| file.span));
        let help = "add the file to `files` of the step, or move the change to the step that it belongs to";
        findings.extend(outside(entry, &StepFiles::new(step)).into_iter().map(|(span, files_outside)| {
            let message = message(&files_outside, step.id_text());
            let finding = RULE.at(Location::at(&document.source, span), message);
            finding.related(files.clone(), "the files of the step").help(help)
        }));
    }
}

/// The changed files outside the step, each where the report proves the change: at the artifact, or at the commit.
fn outside<'e>(entry: &'e ReportEntry, step: &StepFiles) -> Vec<(Span, Vec<&'e RepoPath>)> {
    let Some(changes) = &entry.evidence.changes else { return Vec::new() };
    let mut in_commit = Vec::new();
    let mut found = Vec::new();
    for path in changes.files.iter().filter(|path| !step.contains(path)) {
        match entry.files.iter().find(|file| RepoPath::new(&file.path.text) == *path) {
            Some(file) => found.push((file.path.span, vec![path])),
            None => in_commit.push(path),
        }
    }
    let is_proved = matches!(entry.evidence.commit, Some(CommitEvidence::Exists(_)));
    if let Some(commit) = entry.commit.as_ref().filter(|_| is_proved && !in_commit.is_empty()) {
        found.push((commit.span, in_commit));
    }
    found
}

fn message(files: &[&RepoPath], step: &str) -> String {
    let names: Vec<String> = files.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    let more = match files.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let verb = if files.len() == 1 { "is" } else { "are" };
    format!("{}{more} {verb} changed, but not among the files of step `{step}`", names.join(", "))
}

/// Attempt that changes more lines than its step allows.
fn check_size(report: &Report, findings: &mut Vec<Finding>) {
    let (Ok(document), Some(plan)) = (&report.document, &report.plan) else { return };
    for entry in &document.entries {
        let Some(id) = &entry.step else { continue };
        let Some((step, limit)) = plan.step(&id.text).and_then(|step| Some((step, step.max_diff_lines?))) else {
            continue;
        };
        let lines = entry.evidence.changes.as_ref().and_then(|changes| changes.lines);
        let Some(lines) = lines.filter(|lines| *lines > limit) else { continue };
        let span = entry.commit.as_ref().map_or(id.span, |commit| commit.span);
        let message = format!("the attempt changes {lines} lines, but step `{}` allows {limit}", step.id_text());
        let finding = RULE.at(Location::at(&document.source, span), message);
        let step = Location::at(&plan.document.source, step.head());
        findings.push(
            finding
                .related(step, "`max_diff_lines` of this step")
                .help("split the step, or raise its `max_diff_lines` if reviewers agree"),
        );
    }
}
