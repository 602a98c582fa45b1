//! See `workflow_team_schema.md`.

use crate::canon::workflow::Workflow;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::violations::of_team;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "workflow-team-schema",
    summary: "a workflow that breaks the team's own workflow schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_team_schema.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, drafts: &mut RawFindings) {
    let Ok(document) = &workflow.document else { return };
    for violation in document.violations.iter().filter(|violation| violation.team.is_some()) {
        let (message, help) = of_team(violation);
        drafts.push(RawFinding::new(Location::at(&document.source, violation.span), message).help(help));
    }
}
