//! See `workflow_yaml.md`.

use crate::canon::workflow::Workflow;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "workflow-yaml",
    summary: "workflow is not valid YAML",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_yaml.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Ok(document) = &workflow.document else { return };
    let source = &document.source;
    match &document.yaml {
        Err(error) => {
            let message = format!("invalid YAML: {}", error.message);
            findings.push(
                RawFinding::new(Location::at(source, error.span), message).help(help(source.text(), error.span.offset)),
            );
        }
        // `workflow-schema` reports files that are not workflows.
        Ok(_) if document.definition().is_none() => {}
        Ok(yaml) => findings.extend(yaml.duplicates.iter().map(|duplicate| {
            RawFinding::new(Location::at(source, duplicate.span), format!("duplicate key `{}`", duplicate.key))
                .related(Location::at(source, duplicate.first), "first defined here; canonry uses this value")
                .help("keep one of the two")
        })),
    }
}

fn help(text: &str, offset: usize) -> &'static str {
    if text.as_bytes().get(offset..).is_some_and(|rest| rest.starts_with(&[0])) {
        return "the file contains a NUL byte: it is truncated or not a text file; restore it";
    }
    "correct the line, or quote a value with special characters"
}
