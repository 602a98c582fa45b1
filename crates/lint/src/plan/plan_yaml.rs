//! Part of `plan-schema`: plan is not valid YAML.

use super::helpers::document;
use super::plan_schema::RULE;
use crate::{Finding, yaml_problems};
use canonry_model::canon::plan::Plan;

pub(super) fn check(plan: &Plan, findings: &mut Vec<Finding>) {
    let Some(document) = document(plan) else { return };
    findings.extend(yaml_problems::findings(&RULE, &document.source, &document.yaml));
}
