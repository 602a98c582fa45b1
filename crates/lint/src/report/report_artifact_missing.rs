//! See `report_artifact_missing.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::report::Report;
use canonry_model::canon::report_evidence::CommitEvidence;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "report-artifact-missing",
    summary: "artifact or commit of a report does not exist, or a deleted file still does",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("report_artifact_missing.md"),
    check: Check::Each(&[Check::Report(check), Check::Report(check_commits)]),
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

/// Commit of a report that is not in the repository.
fn check_commits(report: &Report, findings: &mut Vec<Finding>) {
    let Ok(document) = &report.document else { return };
    for entry in &document.entries {
        let Some(commit) = &entry.commit else { continue };
        let (message, help) = match entry.evidence.commit {
            Some(CommitEvidence::Missing) => (
                format!("the repository has no commit `{}`", commit.text),
                "fetch or push the branch with the commit; after a squash, write the id of the squashed commit",
            ),
            Some(CommitEvidence::NotACommit) => {
                (format!("`{}` is not a commit", commit.text), "write the id of the commit with the work")
            }
            Some(CommitEvidence::Exists(_)) | None => continue,
        };
        findings.push(RULE.at(Location::at(&document.source, commit.span), message).help(help));
    }
}
