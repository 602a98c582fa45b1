//! See `workflow_yaml.md`.

use crate::{Check, Defaults, Finding, Rule, yaml_problems};
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "workflow-yaml",
    summary: "workflow is not valid YAML",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_yaml.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Ok(document) = &workflow.document else { return };
    // `workflow-schema` reports files that are not workflows.
    if document.yaml.is_ok() && document.definition().is_none() {
        return;
    }
    findings.extend(yaml_problems::findings(&RULE, &document.source, &document.yaml));
}
