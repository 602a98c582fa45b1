//! See `output_escape.md` (WF405).

use super::helpers::definition;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::Workflow;
use canonry_model::finding::{Location, Severity};
use canonry_runs::workflow::outputs::writers;
use canonry_text::PathEscape;

pub(super) static RULE: Rule = Rule {
    id: "output-escape",
    summary: "output path is outside the run directory",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("output_escape.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    let outputs = writers(definition).into_iter().map(|writer| writer.file);
    let markers = definition.steps.iter().filter_map(|step| step.idempotency.as_ref()?.output_file.as_ref());
    for file in outputs.chain(markers) {
        let Some(escape) = PathEscape::detect(&file.text) else { continue };
        let why = escape.describe("the run directory");
        let location = Location::at(&document.source, file.span);
        let finding = RULE.at(location, format!("`{}` {why}", file.text));
        findings.push(finding.help("write paths relative to the run directory"));
    }
}
