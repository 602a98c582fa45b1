//! See `plan_unreadable.md`.

use crate::canon::plan::Plan;
use crate::finding::Severity;
use crate::rules::{Check, Defaults, RawFindings, Rule, missing};

pub(super) static RULE: Rule = Rule {
    id: "plan-unreadable",
    summary: "a plan that gives no text: no bytes, or bytes that are not UTF-8",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_unreadable.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, drafts: &mut RawFindings) {
    drafts.extend(plan.document.as_ref().err().map(|why| missing::draft(&plan.path, "plan", why)));
}
