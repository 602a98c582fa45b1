//! See `workflow_version_bump.md` (WF504).

use super::helpers::{durable, start};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::{Location, Severity};
use canonry_runs::workflow::{VersionBumpError, WorkflowVersion, check_version_bump};

pub(super) static RULE: Rule = Rule {
    id: "workflow-version-bump",
    summary: "workflow changed without a matching version bump",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_version_bump.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = durable(workflow) else { return };
    let (Some(earlier), Ok(now)) = (&workflow.earlier, &document.yaml) else { return };
    let Some(error) = check_version_bump(&earlier.root, &now.root) else { return };
    let written = definition.version.as_ref().map_or("", |version| version.text.as_str());
    let span = definition.version.as_ref().map_or(start(document), |version| version.span);
    let (message, help) = match error {
        VersionBumpError::Missing(old) => {
            (format!("the workflow changed, but its version is still {old}"), format!("increase it: {}", next(old)))
        }
        VersionBumpError::Back(old) => {
            (format!("the version decreased from {old} to {written}"), format!("increase it: {}", next(old)))
        }
        VersionBumpError::TooSmall(old) => (
            format!("the structure changed, but only PATCH was increased from {old}"),
            format!(
                "write {}.{}.0 if running instances can continue, otherwise {}.0.0",
                old.major,
                old.minor + 1,
                old.major + 1
            ),
        ),
    };
    findings.push(RULE.at(Location::at(&document.source, span), message).help(help));
}

fn next(old: WorkflowVersion) -> String {
    let WorkflowVersion { major, minor, patch } = old;
    format!(
        "{major}.{minor}.{} for texts and limits, {major}.{}.0 for steps and routes, {}.0.0 if running instances cannot continue",
        patch + 1,
        minor + 1,
        major + 1
    )
}
