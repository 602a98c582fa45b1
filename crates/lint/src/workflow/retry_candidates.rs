//! Part of `workflow-schema`: parallel retry without two candidates or a selection rule.

use super::helpers::definition;
use super::workflow_schema::RULE;
use crate::Finding;
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::Location;

pub(super) fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let name = &step.name.text;
        let candidates = &step.fan_out.candidates;
        let count = step.fan_out.count();
        let (span, message) = match candidates {
            Some(written) if count.is_none_or(|count| count < 2) => (
                written.span,
                format!("`parallel_candidates` of `{name}` is `{}`, not a number of 2 or more", written.text),
            ),
            _ if !step.retry.is("parallel") => continue,
            None => (step.head(), format!("`{name}` has parallel retries, but no `parallel_candidates`")),
            Some(_) if step.fan_out.selection.is_some() => continue,
            Some(_) => (step.head(), format!("`{name}` has parallel retries, but no `selection_criteria`")),
        };
        let help = "add `parallel_candidates:` of 2 or more, and `selection_criteria:` such as `passed AND max(score)`";
        findings.push(RULE.at(Location::at(&document.source, span), message).help(help));
    }
}
