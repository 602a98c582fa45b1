//! See `workflow_unreadable.md`.

use crate::canon::skill::Unreadable;
use crate::canon::workflow::Workflow;
use crate::finding::{Draft, Place, Severity};
use crate::rules::missing;
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "workflow-unreadable",
    summary: "a workflow that gives no text: no bytes, or bytes that are not UTF-8",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_unreadable.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, drafts: &mut Drafts) {
    match &workflow.document {
        Ok(_) => {}
        Err(Unreadable::Missing(why)) => {
            let message = format!("there is no workflow to read: {why}");
            drafts.push(Draft::new(Place::file(&workflow.path), message).help(missing::help(why)));
        }
        Err(Unreadable::NotUtf8(bad)) => {
            let at = Place::byte(&workflow.path, bad.offset, bad.line);
            drafts.push(Draft::new(at, missing::not_utf8_message(bad)).help(missing::not_utf8_help(bad)));
        }
    }
}
