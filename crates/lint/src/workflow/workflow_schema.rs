//! See `workflow_schema.md` (WF001).

use super::helpers::definition;
use super::{gates, steps, workflow_version};
use crate::violations::{describe, dotted};
use crate::{Check, Defaults, Finding, Rule, yaml_problems};
use canonry_model::canon::schema::{SchemaKind, Violation};
use canonry_model::canon::workflow::{
    ForeignKind, NotAWorkflow, Workflow, WorkflowContent, WorkflowDefinition, WorkflowDialect, WorkflowDocument,
};
use canonry_model::finding::{Location, Severity};
use canonry_text::closest_match;
use canonry_text::node::{Node, SpannedText};
use std::collections::HashMap;

/// A check of steps. The number of its findings has a limit of its own.
macro_rules! of_steps {
    ($each:path, $check:path) => {
        Check::Workflow(|workflow, findings| $each(workflow, findings, $check))
    };
}

pub(super) static RULE: Rule = Rule {
    id: "workflow-schema",
    summary: "workflow does not match the built-in schema",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("workflow_schema.md"),
    check: Check::Each(&[
        Check::Workflow(check),
        Check::Workflow(workflow_version::check),
        of_steps!(steps::each, steps::retry_strategy),
        of_steps!(steps::each, steps::retry_limit),
        of_steps!(steps::each, steps::retry_feedback),
        of_steps!(steps::each, steps::retry_exhausted),
        of_steps!(steps::each, steps::candidates),
        of_steps!(steps::each, steps::fan_in_strategy),
        of_steps!(steps::each, steps::collect_all),
        of_steps!(steps::each, steps::fail_fast),
        of_steps!(steps::each, steps::children),
        of_steps!(steps::each, steps::effects),
        of_steps!(steps::each, steps::timeout),
        of_steps!(steps::each_durable, steps::on_failure),
        of_steps!(steps::each_durable, steps::context_mode),
        of_steps!(steps::each_durable, steps::context_fields),
        of_steps!(steps::each_durable, steps::output_contract),
        Check::Workflow(gates::missing_keys),
        Check::Workflow(gates::timeout),
        Check::Workflow(gates::timeout_action),
        Check::Workflow(gates::option_values),
        Check::Workflow(check_yaml),
    ]),
};

/// Names of the keys in other tools.
const ALIASES: [(&str, &str); 21] = [
    ("agent", "owner"),
    ("owner", "agent"),
    ("assignee", "owner"),
    ("version", "workflow_version"),
    ("name", "workflow"),
    ("id", "gate_id"),
    ("id", "name"),
    ("when", "if"),
    ("condition", "if"),
    ("to", "goto"),
    ("then", "goto"),
    ("target", "goto"),
    ("next_step", "next"),
    ("routes", "next"),
    ("on_error", "on_failure"),
    ("on_fail", "on_failure"),
    ("retries", "max_retries"),
    ("candidates", "parallel_candidates"),
    ("inputs", "context_inputs"),
    ("vars", "parameters"),
    ("threshold", "quality_threshold"),
];

fn check(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Ok(document) = &workflow.document else { return };
    if let WorkflowContent::Foreign(foreign) = &document.content {
        findings.push(foreign_finding(document, foreign));
    }
    let Some((document, definition)) = definition(workflow) else { return };
    for violation in document.violations.iter().filter(|v| v.team.is_none() && !has_specific_rule(v, document)) {
        let misnamed = scalar_on_fail(violation, document);
        let violation = misnamed.as_ref().unwrap_or(violation);
        let location = Location::at(&document.source, violation.span);
        let (message, help) = match &violation.key {
            Some(key) if violation.keyword == "additionalProperties" => unknown(key, violation, definition.dialect),
            _ if violation.keyword.starts_with("min") && violation.keyword != "minimum" => {
                (format!("`{}` is empty", dotted(&violation.pointer)), "add a value, or remove the key".to_owned())
            }
            _ => (describe(violation), help(violation).to_owned()),
        };
        findings.push(RULE.at(location, message).help(help));
    }
    report_steps_and_phases(document, findings);
    report_duplicate_names(document, definition, findings);
}

/// Other tools write `on_fail: abort`, which is `on_failure` here; `on_fail` belongs to an evaluator.
fn scalar_on_fail(violation: &Violation, document: &WorkflowDocument) -> Option<Violation> {
    let parent = violation.pointer.strip_suffix("/on_fail").filter(|_| violation.keyword == "type")?;
    let step = document.yaml.as_ref().ok()?.root.at_pointer(parent)?.0;
    let entry = step.as_mapping()?.get("on_fail").filter(|entry| entry.value.as_scalar().is_some())?;
    Some(Violation {
        pointer: parent.to_owned(),
        keyword: "additionalProperties".to_owned(),
        key: Some("on_fail".to_owned()),
        span: entry.key_span,
        ..violation.clone()
    })
}

/// `phases` would be ignored beside `steps`.
fn report_steps_and_phases(document: &WorkflowDocument, findings: &mut Vec<Finding>) {
    let root = document.yaml.as_ref().ok().and_then(|yaml| yaml.root.as_mapping());
    let Some((phases, _)) = root.and_then(|root| Some((root.get("phases")?, root.get("steps")?))) else { return };
    // Only the durable dialect has phases; in the others, the key is unknown.
    let span = phases.key_span;
    if document.violations.iter().all(|violation| violation.span != span) {
        let finding = RULE.at(Location::at(&document.source, span), "the workflow has both `steps` and `phases`");
        findings.push(finding.help("move all steps to one of the two"));
    }
}

fn foreign_finding(document: &WorkflowDocument, foreign: &NotAWorkflow) -> Finding {
    const DIALECTS: &str = "write `workflow`, `workflow_version` and `steps` or `phases`, or `name` and `steps` with an `agent` or a `prompt` for each step";
    let (message, help) = match &foreign.kind {
        ForeignKind::Empty => ("the file is empty".to_owned(), DIALECTS.to_owned()),
        ForeignKind::NoMapping(kind) => {
            (format!("a workflow must be a mapping, but this is a {kind}"), DIALECTS.to_owned())
        }
        ForeignKind::Other(what) => (
            format!("this is {what}, not an agent workflow"),
            "move it out of `workflows/`, to the directory where its program expects it".to_owned(),
        ),
        ForeignKind::Plan => {
            ("this is a plan, not a workflow: its steps have an `id`".to_owned(), "move it to `plans/`".to_owned())
        }
        ForeignKind::NoSteps => ("the workflow has no `steps`".to_owned(), DIALECTS.to_owned()),
        ForeignKind::StepsAtTop(name) => (
            format!("the workflow has no `steps`, but `{name}` at the top is a step"),
            "write `phases:` above the steps and indent them".to_owned(),
        ),
        ForeignKind::OtherSteps => ("these steps have no key of a workflow step".to_owned(), DIALECTS.to_owned()),
    };
    RULE.at(Location::at(&document.source, foreign.span), message).help(help)
}

/// Whether a more specific check reports the violation. For an empty value, that check may not apply.
fn has_specific_rule(violation: &Violation, document: &WorkflowDocument) -> bool {
    let parts: Vec<&str> = violation.pointer.split('/').skip(1).collect();
    let root = document.yaml.as_ref().ok().map(|yaml| &yaml.root);
    let node = root.and_then(|root| root.at_pointer(&violation.pointer)).map(|(node, _)| node);
    let is_blank = node.and_then(|node| node.as_scalar()).is_some_and(|scalar| scalar.text.trim().is_empty());
    let is_number = || node.and_then(Node::spanned_text).and_then(|text| text.to_u64()).is_some();
    match parts.as_slice() {
        ["workflow_version"] | ["steps" | "phases", _, "timeout"] | ["gates", _, "timeout" | "timeout_action"] => true,
        ["gates", _, "trigger_condition" | "message"] => is_blank,
        // A number in quotes counts.
        ["steps" | "phases", _, "max_retries" | "parallel_candidates"] => violation.keyword == "type" && is_number(),
        _ => false,
    }
}

const VALID_VALUES: &str = "run `canonry schema workflow` for the valid values";

fn help(violation: &Violation) -> &'static str {
    match violation.key.as_deref() {
        Some("steps") => "add the steps under `steps`",
        Some("workflow") => "add `workflow:` with the name of the workflow",
        Some("owner" | "agent") => {
            "add the role that executes the step, or a `prompt` for a step that the calling session executes"
        }
        Some("generator" | "evaluator") => "a generator and an evaluator need each other; add the role that is missing",
        Some("action") => "write `{action: …}` with a step, a gate or an action such as `abort`",
        Some("goto") => "add the target of the route",
        Some("gate_id" | "name") => "add a name that routes can refer to",
        Some(_) => VALID_VALUES,
        None => match violation.pointer.rsplit('/').next() {
            Some("session") => "write `session: isolated` or omit the key, and pass data in `context_inputs`",
            Some("retry_strategy") => {
                "write `retry_strategy: serial` for consecutive attempts, or `parallel` for parallel candidates"
            }
            Some("max_retries") => "write the number of retries, such as `max_retries: 3`",
            _ => VALID_VALUES,
        },
    }
}

fn unknown(key: &str, violation: &Violation, dialect: WorkflowDialect) -> (String, String) {
    let at = dotted(&violation.pointer);
    let parent = if at.is_empty() { "the workflow".to_owned() } else { format!("`{at}`") };
    let message = format!("unknown key `{key}` in {parent}");
    if key == "<<" {
        return (message, "YAML 1.2 has no merge keys; write the keys explicitly".to_owned());
    }
    let known = known_keys(&violation.pointer, dialect);
    let is_known = |word: &str| known.iter().any(|known| known == word);
    let alias =
        ALIASES.iter().find(|(alias, intended)| *alias == key && is_known(intended)).map(|(_, intended)| *intended);
    let help = match alias.or_else(|| closest_match(key, known.iter().map(String::as_str))) {
        Some(intended) => format!("did you mean `{intended}`?"),
        None => format!("valid keys are {}", known.join(", ")),
    };
    (message, help)
}

fn known_keys(pointer: &str, dialect: WorkflowDialect) -> Vec<String> {
    let definition = match dialect {
        WorkflowDialect::Durable => "/$defs/durable",
        WorkflowDialect::Listed => "/$defs/listed",
        WorkflowDialect::Routed => "/$defs/routed",
    };
    SchemaKind::Workflow.known_keys(definition, pointer)
}

/// Reports steps and gates with the same name. `check_yaml` reports duplicate steps in a mapping.
fn report_duplicate_names(document: &WorkflowDocument, definition: &WorkflowDefinition, findings: &mut Vec<Finding>) {
    let mut first: HashMap<&str, &SpannedText> = HashMap::new();
    let names = definition.steps.iter().map(|step| &step.name).chain(definition.gates.iter().map(|gate| &gate.id));
    for name in names.filter(|name| !name.text.is_empty()) {
        if let Some(known) = first.get(name.text.as_str()) {
            let message = format!("the name `{}` belongs to another step or gate", name.text);
            let finding = RULE.at(Location::at(&document.source, name.span), message);
            let finding = finding.related(Location::at(&document.source, known.span), "first used here");
            findings.push(finding.help("give each step and gate a unique name"));
        } else {
            first.insert(&name.text, name);
        }
    }
}

/// Workflow is not valid YAML.
fn check_yaml(workflow: &Workflow, findings: &mut Vec<Finding>) {
    let Ok(document) = &workflow.document else { return };
    // The check of the schema reports files that are not workflows.
    if document.yaml.is_ok() && document.definition().is_none() {
        return;
    }
    findings.extend(yaml_problems::findings(&RULE, &document.source, &document.yaml));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_keys_come_from_the_schema() {
        for (pointer, dialect, want) in [
            ("", WorkflowDialect::Durable, "workflow_version"),
            ("/steps/a", WorkflowDialect::Durable, "on_failure"),
            ("/steps/a/output", WorkflowDialect::Durable, "schema"),
            ("/steps/a/next/0", WorkflowDialect::Durable, "goto"),
            ("/gates/0/options/1", WorkflowDialect::Durable, "default"),
            ("/steps/0", WorkflowDialect::Listed, "conditions"),
            ("/steps/0/conditions/0", WorkflowDialect::Listed, "keyword"),
            ("/steps/a/parallel/0", WorkflowDialect::Routed, "agent"),
            ("/phases/a", WorkflowDialect::Durable, "generator"),
            ("/phases/a/on_fail", WorkflowDialect::Durable, "max_retries"),
            ("/phases/a/selection_criteria", WorkflowDialect::Durable, "select_by"),
            ("", WorkflowDialect::Listed, "parameters"),
        ] {
            assert!(known_keys(pointer, dialect).iter().any(|key| key == want), "{pointer}: {want}");
        }
    }
}
