//! See `owner_unknown.md`.

use crate::{Check, Defaults, Finding, OwnedPlan, Rule};
use canonry_model::canon::plan::PlanStep;
use canonry_model::finding::{Location, Severity};
use canonry_text::closest_match;

pub(super) static RULE: Rule = Rule {
    id: "owner-unknown",
    summary: "owner of a step is not defined in `owners.yaml`",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("owner_unknown.md"),
    check: Check::OwnedPlan(check),
};

fn check(owned: &OwnedPlan<'_>, findings: &mut Vec<Finding>) {
    let Ok(document) = &owned.plan.document else { return };
    // Each role once, at its first step.
    let mut seen: Vec<&str> = Vec::new();
    for owner in document.steps.iter().filter(|step| is_open(step)).filter_map(|step| step.owner.as_ref()) {
        let role = owner.text.as_str();
        if role.is_empty() || owned.owners.owner(role).is_some() || seen.contains(&role) {
            continue;
        }
        seen.push(role);
        let message = format!("owner `{role}` is not defined in {}, which has no default", owned.owners_path);
        let help = match closest_match(role, owned.owners.owners.keys().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`? otherwise define the role, or a `default:`"),
            None => "define the role there, or a `default:` for all other roles".to_owned(),
        };
        findings.push(RULE.at(Location::at(&document.source, owner.span), message).help(help));
    }
}

/// Whether the step can still be executed.
fn is_open(step: &PlanStep) -> bool {
    step.status != canonry_model::canon::plan::StepStatus::Complete
}
