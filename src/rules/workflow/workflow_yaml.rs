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
            let message = format!("not valid YAML: {}", error.message);
            findings.push(
                RawFinding::new(Location::at(source, error.span), message).help(help(source.text(), error.span.offset)),
            );
        }
        // Of a file that is no workflow one finding says so.
        Ok(_) if document.definition().is_none() => {}
        Ok(yaml) => findings.extend(yaml.duplicates.iter().map(|twice| {
            RawFinding::new(Location::at(source, twice.span), format!("the key `{}` stands twice", twice.key))
                .related(Location::at(source, twice.first), "it stands here first, and this value counts")
                .help("keep one of the two")
        })),
    }
}

fn help(text: &str, offset: usize) -> &'static str {
    if text.as_bytes().get(offset..).is_some_and(|rest| rest.starts_with(&[0])) {
        return "there is a NUL byte here, as in a file that was cut off or is no text; restore the file";
    }
    "mend the line, or put a value with special characters in quotes"
}
