//! See `workflow_team_schema.md`.

use crate::canon::workflow::Workflow;
use crate::finding::{Draft, Place, Severity};
use crate::rules::violations::of_team;
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "workflow-team-schema",
    summary: "a workflow that breaks the team's own workflow schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_team_schema.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, drafts: &mut Drafts) {
    let Ok(document) = &workflow.document else { return };
    for violation in document.violations.iter().filter(|violation| violation.team.is_some()) {
        let (message, help) = of_team(violation);
        drafts.push(Draft::new(Place::at(&document.source, violation.span), message).help(help));
    }
}
