//! See `plan_team_schema.md`.

use super::shared::document;
use crate::canon::plan::Plan;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::violations::of_team;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "plan-team-schema",
    summary: "a plan that breaks the team's own plan schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_team_schema.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, drafts: &mut RawFindings) {
    let Some(document) = document(plan) else { return };
    for violation in document.violations.iter().filter(|violation| violation.team.is_some()) {
        let (message, help) = of_team(violation);
        drafts.push(RawFinding::new(Location::at(&document.source, violation.span), message).help(help));
    }
}
