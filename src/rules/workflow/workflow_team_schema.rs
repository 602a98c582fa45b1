//! See `workflow_team_schema.md`.

use crate::canon::workflow::Workflow;
use crate::finding::{Draft, Place, Severity};
use crate::rules::plan::shared::in_words;
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
    for violation in &document.violations {
        let Some(schema) = &violation.team else { continue };
        let message = format!("{} (says {schema})", in_words(violation));
        let place = Place::at(&document.source, violation.span);
        drafts.push(Draft::new(place, message).help(format!("follow the team's schema, or change {schema}")));
    }
}
