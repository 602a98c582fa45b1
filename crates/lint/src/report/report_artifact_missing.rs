//! See `report_artifact_missing.md`.

use super::report_commit_missing;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::report::Report;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "report-artifact-missing",
    summary: "artifact or commit of a report does not exist, or a deleted file still does",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("report_artifact_missing.md"),
    check: Check::Each(&[Check::Report(check), Check::Report(report_commit_missing::check)]),
};

fn check(report: &Report, findings: &mut Vec<Finding>) {
    let Ok(document) = &report.document else { return };
    for entry in &document.entries {
        let mut push = |at: &usize, what: &str, help: &str| {
            let Some(file) = entry.files.get(*at) else { return };
            let location = Location::at(&document.source, file.path.span);
            findings.push(
                RULE.at(location, format!("`{}` is reported as {}, but {what}", file.path.text, file.status))
                    .help(help),
            );
        };
        for at in &entry.evidence.missing_files {
            push(at, "does not exist", "add the file, or correct its path, which starts at the top of the repository");
        }
        for at in &entry.evidence.remaining_files {
            push(at, "still exists", "delete the file, or correct its status");
        }
    }
}
