//! Part of `workflow-schema`: workflow is not valid YAML.

use super::workflow_schema::RULE;
use crate::{Finding, yaml_problems};
use canonry_model::canon::workflow::Workflow;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Ok(document) = &workflow.document else { return };
    // The check of the schema reports files that are not workflows.
    if document.yaml.is_ok() && document.definition().is_none() {
        return;
    }
    findings.extend(yaml_problems::findings(&RULE, &document.source, &document.yaml));
}
