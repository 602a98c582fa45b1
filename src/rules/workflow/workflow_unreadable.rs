//! See `workflow_unreadable.md`.

use crate::canon::workflow::Workflow;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule, missing};

pub(super) static RULE: Rule = Rule {
    id: "workflow-unreadable",
    summary: "a workflow that gives no text: no bytes, or bytes that are not UTF-8",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_unreadable.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, drafts: &mut RawFindings) {
    drafts.extend(workflow.document.as_ref().err().map(|why| missing::draft(&workflow.path, "workflow", why)));
}
