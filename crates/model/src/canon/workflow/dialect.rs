//! Detects the dialect of a workflow file, or what else the file is.

use canonry_text::Span;
use canonry_text::node::{MappingEntry, Node};

/// A way to write a workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkflowDialect {
    /// Resumable workflows with versions, timeouts, retries, declared outputs and gates.
    Durable,
    /// An orchestrator's list of steps with `conditions` and `next`.
    Listed,
    /// An orchestrator's map of steps with routes in `next`.
    Routed,
}

/// A file that is not an agent workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAWorkflow {
    /// The part of the file that shows it.
    pub span: Span,
    pub kind: ForeignKind,
}

/// Kind of a file that is not an agent workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForeignKind {
    Empty,
    /// A list or a scalar. Contains the name of the type.
    NoMapping(&'static str),
    /// A file of another program.
    Other(&'static str),
    Plan,
    NoSteps,
    /// A step with this name is at the top, and not below `phases`.
    StepsAtTop(String),
    /// It has steps, but none of them has a key of a workflow step.
    OtherSteps,
}

/// Top-level keys of durable workflows. One is enough.
const DURABLE: [&str; 3] = ["workflow", "workflow_version", "gates"];
/// Step keys that only durable workflows have.
const DURABLE_STEP: [&str; 11] = [
    "owner",
    "generator",
    "evaluator",
    "context_mode",
    "context_inputs",
    "timeout",
    "retry_strategy",
    "max_retries",
    "on_failure",
    "output",
    "effects",
];
/// Step keys of orchestrator workflows.
const ORCHESTRATED: [&str; 8] = ["agent", "prompt", "plan", "parallel", "human", "conditions", "next", "goto"];

impl WorkflowDialect {
    /// The dialect of a document.
    ///
    /// # Errors
    /// The document is not an agent workflow. This is reported once per file, because workflow rules would report
    /// every line.
    pub fn detect(root: &Node) -> Result<Self, NotAWorkflow> {
        let foreign = |span: Span, kind: ForeignKind| Err(NotAWorkflow { span, kind });
        let Some(mapping) = root.as_mapping() else {
            let kind = if root.is_null() { ForeignKind::Empty } else { ForeignKind::NoMapping(root.kind_name()) };
            return foreign(root.span, kind);
        };
        let Some(first) = mapping.entries.first() else { return foreign(root.span, ForeignKind::Empty) };
        if let Some((span, program)) = other_program(&mapping.entries) {
            return foreign(span, ForeignKind::Other(program));
        }
        let has = |key: &str| mapping.get(key).is_some();
        let has_steps = ["steps", "phases", "plan"].iter().any(|key| has(key));
        let top_step = mapping.entries.iter().find(|entry| has_one(&entry.value, &DURABLE_STEP));
        if let Some(step) = top_step.filter(|_| !has_steps) {
            return foreign(step.key_span, ForeignKind::StepsAtTop(step.key.clone()));
        }
        if DURABLE.iter().any(|key| has(key)) && (has("steps") || has("workflow_version") || has("workflow")) {
            return Ok(Self::Durable);
        }
        if let Some(phases) =
            mapping.get("phases").and_then(|phases| phases.value.as_mapping()).filter(|_| !has("steps"))
        {
            let is_durable = phases.entries.iter().any(|phase| has_one(&phase.value, &DURABLE_STEP));
            return if is_durable { Ok(Self::Durable) } else { foreign(first.key_span, ForeignKind::NoSteps) };
        }
        match mapping.get("steps") {
            None if mapping.get("plan").is_some_and(|plan| plan.value.as_scalar().is_some()) => Ok(Self::Listed),
            None => foreign(first.key_span, ForeignKind::NoSteps),
            Some(steps) => of_steps(steps),
        }
    }
}

fn of_steps(steps: &MappingEntry) -> Result<WorkflowDialect, NotAWorkflow> {
    let foreign = |kind: ForeignKind| Err(NotAWorkflow { span: steps.key_span, kind });
    if let Some(mapping) = steps.value.as_mapping() {
        let any_has = |keys: &[&str]| mapping.entries.iter().any(|entry| has_one(&entry.value, keys));
        return if mapping.entries.is_empty() || any_has(&["agent"]) {
            Ok(WorkflowDialect::Routed)
        } else if any_has(&DURABLE_STEP) {
            Ok(WorkflowDialect::Durable)
        } else if any_has(&ORCHESTRATED) {
            Ok(WorkflowDialect::Routed)
        } else {
            foreign(ForeignKind::OtherSteps)
        };
    }
    let Some(items) = steps.value.as_sequence() else { return Ok(WorkflowDialect::Listed) };
    let any_has = |keys: &[&str]| items.iter().any(|item| has_one(item, keys));
    if items.is_empty() || any_has(&ORCHESTRATED) {
        Ok(WorkflowDialect::Listed)
    } else if any_has(&["id"]) && any_has(&["owner", "deps"]) {
        foreign(ForeignKind::Plan)
    } else {
        foreign(ForeignKind::OtherSteps)
    }
}

fn has_one(node: &Node, keys: &[&str]) -> bool {
    keys.iter().any(|key| node.get(key).is_some())
}

/// Recognises files of other programs that are also called workflows.
fn other_program(entries: &[MappingEntry]) -> Option<(Span, &'static str)> {
    let at = |key: &str| entries.iter().find(|entry| entry.key == key);
    if let Some(jobs) = at("jobs") {
        let name = if at("on").is_some() { "a GitHub Actions workflow or similar" } else { "a CI workflow" };
        return Some((jobs.key_span, name));
    }
    if let Some(workflow) = at("workflow")
        && workflow.value.as_scalar().is_none()
        && at("workflow_version").is_none()
    {
        return Some((workflow.key_span, "a workflow for another program"));
    }
    if let Some(kind) = at("apiVersion").filter(|_| at("kind").is_some()) {
        return Some((kind.key_span, "a Kubernetes object"));
    }
    if let Some(runs) = at("runs").filter(|_| at("steps").is_none()) {
        return Some((runs.key_span, "a GitHub action"));
    }
    None
}
