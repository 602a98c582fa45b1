//! See `plan_team_schema.md`.

use super::shared::{document, in_words};
use crate::canon::plan::Plan;
use crate::finding::{Draft, Place, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "plan-team-schema",
    summary: "a plan that breaks the team's own plan schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plan_team_schema.md"),
    check: Check::Plan(check),
};

fn check(plan: &Plan, drafts: &mut Drafts) {
    let Some(document) = document(plan) else { return };
    for violation in &document.violations {
        let Some(schema) = &violation.team else { continue };
        let message = format!("{} (says {schema})", in_words(violation));
        let place = Place::at(&document.source, violation.span);
        drafts.push(Draft::new(place, message).help(format!("follow the team's schema, or change {schema}")));
    }
}
