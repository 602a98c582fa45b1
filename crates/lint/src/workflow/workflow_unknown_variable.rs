//! See `workflow_unknown_variable.md`.

use super::gate_blind_message::is_fact;
use super::helpers::{definition, nearest};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::workflow::{Workflow, WorkflowDefinition, WorkflowDocument, is_template_path};
use canonry_model::finding::{Location, Severity};
use canonry_runs::workflow::variables::RUN_VARIABLES;
use canonry_runs::workflow::{variable_source, variables};
use canonry_text::Span;
use canonry_text::node::SpannedText;

pub(super) static RULE: Rule = Rule {
    id: "workflow-unknown-variable",
    summary: "variable that nothing sets",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("workflow_unknown_variable.md"),
    check: Check::Workflow(check),
};

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Some((document, definition)) = definition(workflow) else { return };
    for step in &definition.steps {
        let children = &step.fan_out.children;
        let prompts = step.prompt.iter().chain(children.iter().filter_map(|child| child.prompt.as_ref()));
        let outputs = step.output.iter().chain(children.iter().filter_map(|child| child.output.as_ref()));
        for text in prompts.chain(outputs.filter_map(|output| output.file.as_ref())) {
            check_text(workflow, document, definition, text, findings);
        }
    }
    // `gate-blind-message` reports a message without any known variable.
    let has_fact = |text: &SpannedText| {
        let found = variables(&text.text);
        found.iter().any(|(_, name)| is_fact(variable_source(definition, &workflow.files, name), name))
    };
    for message in definition.gates.iter().filter_map(|gate| gate.message.as_ref()).filter(|text| has_fact(text)) {
        check_text(workflow, document, definition, message, findings);
    }
}

/// Checks the variables of a text or, for the path of a template, those of the template.
fn check_text(
    workflow: &Workflow,
    document: &WorkflowDocument,
    definition: &WorkflowDefinition,
    text: &SpannedText,
    findings: &mut Vec<Finding>,
) {
    let template =
        Some(text).filter(|text| is_template_path(&text.text)).and_then(|text| workflow.files.text(&text.text));
    let content = template.map_or(text.text.as_str(), |source| source.text());
    let mut seen: Vec<String> = Vec::new();
    for (at, name) in variables(content) {
        if name.starts_with("run.")
            || seen.iter().any(|known| known == name)
            || variable_source(definition, &workflow.files, name).is_some()
        {
            continue;
        }
        let span = template.map_or_else(|| span_in(document, text, name), |_| text.span);
        let message = format!("nothing sets the variable `{name}`");
        let mut finding = RULE.at(Location::at(&document.source, span), message);
        if let Some(source) = template {
            finding = finding.related(Location::at(source, Span::new(at, name.len())), "used in the template");
        }
        findings.push(finding.help(help(definition, workflow, name, findings)));
        seen.push(name.to_owned());
    }
}

/// The variable in the text of the file, which may be quoted or folded.
fn span_in(document: &WorkflowDocument, text: &SpannedText, name: &str) -> Span {
    let found = document.source.slice(text.span).find(name);
    found.map_or(text.span, |at| Span::new(text.span.offset + at, name.len()))
}

fn help(definition: &WorkflowDefinition, workflow: &Workflow, name: &str, findings: &[Finding]) -> String {
    if !name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')) {
        return "write `\\{{` for two braces in the text".to_owned();
    }
    if let Some(report) = name.strip_prefix("report.") {
        let steps = definition.steps.iter().map(|step| step.name.text.as_str());
        if let Some(step) = nearest(report, steps, findings) {
            return format!("did you mean `report.{step}`?");
        }
        return "use the name of a step or of its report".to_owned();
    }
    let declared = definition.parameters.iter().map(|parameter| parameter.name.text.as_str());
    let known = RUN_VARIABLES.into_iter().chain(declared).chain(workflow.files.parameters.iter().map(String::as_str));
    match nearest(name, known, findings) {
        Some(known) => format!("did you mean `{known}`?"),
        None if name.contains('.') => "name a step and a field that it declares under `output.schema`".to_owned(),
        None => format!("declare it: `parameters: {{{name}: …}}`, or add it to the `config.yaml` beside the workflow"),
    }
}
