//! Part of `report-artifact-missing`: commit of a report that is not in the repository.

use super::report_artifact_missing::RULE;
use crate::Finding;
use canonry_model::canon::report::Report;
use canonry_model::canon::report_evidence::CommitEvidence;
use canonry_model::finding::Location;

pub(super) fn check(report: &Report, findings: &mut Vec<Finding>) {
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
