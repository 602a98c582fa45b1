//! The inputs that a step reads from earlier steps.

use super::WorkflowGraph;
use super::dominators::Dominators;
use canonry_model::canon::workflow::{StepInput, WorkflowDefinition, WorkflowFiles};

/// An input that may be missing when its step runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingInput {
    /// The index of the step.
    pub step: usize,
    /// The index of the input in the step.
    pub input: usize,
    pub what: MissingInputKind,
}

/// Kind of a missing input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingInputKind {
    /// No step or gate has the name.
    Source,
    /// The source may not have run before the step begins.
    Run,
    /// The source does not declare the field. Contains the index of the field in the input.
    Field(usize),
}

/// The inputs that may be missing.
pub fn missing(definition: &WorkflowDefinition, graph: &WorkflowGraph<'_>, files: &WorkflowFiles) -> Vec<MissingInput> {
    if definition.steps.iter().all(|step| step.context.inputs.is_empty()) {
        return Vec::new();
    }
    let edges: Vec<Vec<usize>> = (0..graph.node_count()).map(|node| graph.edges(node).to_vec()).collect();
    let dominators = Dominators::new(&edges);
    let mut found = Vec::new();
    for (step, at) in definition.steps.iter().zip(0..) {
        for (input, number) in step.context.inputs.iter().zip(0..) {
            let all = missing_parts(graph, files, at, input, &dominators);
            found.extend(all.into_iter().map(|what| MissingInput { step: at, input: number, what }));
        }
    }
    found
}

fn missing_parts(
    graph: &WorkflowGraph<'_>,
    files: &WorkflowFiles,
    at: usize,
    input: &StepInput,
    dominators: &Dominators,
) -> Vec<MissingInputKind> {
    let Some(source) = &input.source else { return Vec::new() };
    let Some(from) = graph.node(&source.text) else { return vec![MissingInputKind::Source] };
    let mut found = Vec::new();
    if from == at || !dominators.dominates(from, at) {
        found.push(MissingInputKind::Run);
    }
    // A gate provides the chosen option and declares no fields.
    if from < graph.step_count() {
        let is_missing = |field: &str| !may_provide(graph.definition(), files, from, field);
        found.extend(
            input.fields.iter().zip(0..).filter(|(f, _)| is_missing(&f.text)).map(|(_, n)| MissingInputKind::Field(n)),
        );
    }
    found
}

/// Whether the output of a step may have a field: the step declares it, or it cannot be known what it declares.
pub fn may_provide(definition: &WorkflowDefinition, files: &WorkflowFiles, step: usize, field: &str) -> bool {
    let Some(step) = definition.steps.get(step) else { return false };
    let schema = step.output.as_ref().and_then(|output| output.schema_file.as_ref());
    match schema {
        Some(path) => files.schema_declares(&path.text, field) != Some(false),
        // A phase need not declare its output.
        None if step.output.is_none() && definition.is_phased => true,
        None => step.declares(field) != Some(false),
    }
}

/// The inputs of `last_only` steps that do not come from the previous step. Each as step index, input index, and the
/// names of the previous steps.
pub fn not_from_before<'d>(
    definition: &'d WorkflowDefinition,
    graph: &WorkflowGraph<'_>,
) -> Vec<(usize, usize, Vec<&'d str>)> {
    let back = graph.backwards();
    let mut found = Vec::new();
    for (step, at) in definition.steps.iter().zip(0..) {
        let is_last_only = step.context.mode.as_ref().is_some_and(|mode| mode.text == "last_only");
        if !is_last_only || step.context.inputs.is_empty() {
            continue;
        }
        let before = graph.nodes_before(&back, at);
        for (input, number) in step.context.inputs.iter().zip(0..) {
            let Some(from) = input.source.as_ref().and_then(|source| graph.node(&source.text)) else {
                continue;
            };
            if !before.contains(&from) {
                let mut names: Vec<usize> = before.iter().copied().filter(|node| graph.is_step(*node)).collect();
                names.sort_unstable();
                let names = names.iter().map(|node| definition.steps[*node].name.text.as_str()).collect();
                found.push((at, number, names));
            }
        }
    }
    found
}
