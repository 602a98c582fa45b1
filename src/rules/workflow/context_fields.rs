//! See `context_fields.md` (WF302).

use super::helpers::durable;
use crate::canon::workflow::Workflow;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "context-fields",
    summary: "`explicit` context without named fields",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("context_fields.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut RawFindings) {
    let Some((document, definition)) = durable(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        if step.context.mode.as_ref().is_none_or(|mode| mode.text != "explicit") {
            continue;
        }
        for input in step.context.inputs.iter().filter(|input| input.fields.is_empty()) {
            let Some(source) = &input.source else { continue };
            let message = format!("`{name}` has an explicit context, but reads the whole output of `{}`", source.text);
            let finding = RawFinding::new(Location::at(&document.source, input.span), message);
            findings.push(finding.help(format!("name the fields: `{{source: {}, fields: [\u{2026}]}}`", source.text)));
        }
    }
}
