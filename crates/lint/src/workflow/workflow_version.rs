//! Part of `workflow-schema`: `workflow_version` is not MAJOR.MINOR.PATCH.

use super::helpers::{durable, start};
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;
use canonry_runs::workflow::WorkflowVersion;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = durable(workflow) else { return };
    let (span, message) = match &definition.version {
        Some(version) if WorkflowVersion::parse(&version.text).is_some() => return,
        Some(version) => (version.span, format!("the version `{}` is not MAJOR.MINOR.PATCH", version.text)),
        None => (start(document), "the workflow has no version".to_owned()),
    };
    let help = definition.version.as_ref().and_then(|version| complete_version(&version.text));
    findings.push(RULE.at(Location::at(&document.source, span), message).help(match help {
        Some(version) => format!("write `workflow_version: {version}`"),
        None => "write three numbers, such as `workflow_version: 1.0.0`".to_owned(),
    }));
}

/// Completes a partial version and removes a prefix.
fn complete_version(text: &str) -> Option<WorkflowVersion> {
    let plain = text.trim().trim_start_matches(['v', 'V', '=']);
    [plain.to_owned(), format!("{plain}.0"), format!("{plain}.0.0")]
        .iter()
        .find_map(|text| WorkflowVersion::parse(text))
}

#[cfg(test)]
mod tests {
    #[test]
    fn completes_partial_versions() {
        for (text, want) in [("v1.2", Some("1.2.0")), ("3", Some("3.0.0")), ("v1.2.3", Some("1.2.3")), ("latest", None)]
        {
            assert_eq!(super::complete_version(text).map(|version| version.to_string()).as_deref(), want, "{text}");
        }
    }
}
