//! See `workflow_missing_file.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::{ReferenceKind, Workflow};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "workflow-missing-file",
    summary: "template, policy, schema or plan that does not exist",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("workflow_missing_file.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Ok(document) = &workflow.document else { return };
    for reference in &workflow.files.missing {
        let what = match reference.kind {
            ReferenceKind::Template => "template",
            ReferenceKind::Policy => "policy",
            ReferenceKind::Schema => "schema",
            ReferenceKind::Plan => "plan",
        };
        let message = format!("the {what} `{}` does not exist", reference.path.text);
        let finding = RULE.at(Location::at(&document.source, reference.path.span), message);
        findings.push(finding.help(match reference.kind {
            ReferenceKind::Plan => {
                "write the id of a plan, or its path from the workflow's folder, from the canon or from the repository"
            }
            _ => "write its path from the workflow's folder, from the canon or from the repository",
        }));
    }
}
