//! See `context_predecessor.md` (WF303).

use super::helpers::{durable, list};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::{Location, Severity};
use canonry_runs::workflow::WorkflowGraph;
use canonry_runs::workflow::inputs::not_from_before;

pub(super) static RULE: Rule = Rule {
    id: "context-predecessor",
    summary: "`last_only` step reads a step that is not its predecessor",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("context_predecessor.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = durable(workflow) else { return };
    let graph = WorkflowGraph::new(definition);
    for (step, input, before) in not_from_before(definition, &graph) {
        let step = &definition.steps[step];
        let input = &step.context.inputs[input];
        let source = input.source.as_ref().map_or("", |source| source.text.as_str());
        let message = format!("`{}` reads only its predecessor, but `{source}` is not its predecessor", step.name.text);
        let finding = RULE.at(Location::at(&document.source, input.span), message);
        let quoted: Vec<String> = before.iter().map(|name| format!("`{name}`")).collect();
        findings.push(if quoted.is_empty() || quoted.len() > 3 { finding.help("use `context_mode: explicit` with the source and its fields") } else { finding.help(format!(
                "its predecessor is {}; to read another step, use `context_mode: explicit` with the source and its fields",
                list(&quoted, "or")
            )) });
    }
}
