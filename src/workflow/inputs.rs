//! What a step reads of the steps before it.

use super::dominators::Dominators;
use super::{RouteTarget, WorkflowGraph};
use crate::canon::workflow::{StepInput, WorkflowDefinition};
use std::collections::HashSet;

/// A flaw of an input, by the step's number and the input's number in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingInput {
    /// The step.
    pub step: usize,
    /// The input.
    pub input: usize,
    /// What is not there.
    pub what: MissingInputKind,
}

/// What an input reads that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingInputKind {
    /// No step or gate has the name.
    Source,
    /// The step need not have run when this one begins.
    Run,
    /// The step does not declare the field, by its number in the input.
    Field(usize),
}

/// Every input that reads what need not be there.
pub fn missing(definition: &WorkflowDefinition, graph: &WorkflowGraph<'_>) -> Vec<MissingInput> {
    if definition.steps.iter().all(|step| step.context.inputs.is_empty()) {
        return Vec::new();
    }
    let edges: Vec<Vec<usize>> = (0..graph.len()).map(|node| graph.edges(node).to_vec()).collect();
    let dominators = Dominators::new(&edges);
    let mut found = Vec::new();
    for (step, at) in definition.steps.iter().zip(0..) {
        for (input, number) in step.context.inputs.iter().zip(0..) {
            let all = of_input(definition, graph, (at, input), &dominators);
            found.extend(all.into_iter().map(|what| MissingInput { step: at, input: number, what }));
        }
    }
    found
}

fn of_input(
    definition: &WorkflowDefinition,
    graph: &WorkflowGraph<'_>,
    (at, input): (usize, &StepInput),
    dominators: &Dominators,
) -> Vec<MissingInputKind> {
    let Some(source) = &input.source else { return Vec::new() };
    let Some(RouteTarget::Node(from)) = graph.target(&source.text) else { return vec![MissingInputKind::Source] };
    let mut found = Vec::new();
    if from == at || !dominators.dominates(from, at) {
        found.push(MissingInputKind::Run);
    }
    // What a gate gives is the choice that was made; it declares no fields.
    if let Some(giver) = definition.steps.get(from) {
        let is_missing = |field: &str| giver.field(field).is_none();
        found.extend(
            input.fields.iter().zip(0..).filter(|(f, _)| is_missing(&f.text)).map(|(_, n)| MissingInputKind::Field(n)),
        );
    }
    found
}

/// The inputs of `last_only` steps that read another step than the one before: step and input by their numbers, and the
/// names of the steps before.
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
        let before = steps_before(graph, &back, at);
        for (input, number) in step.context.inputs.iter().zip(0..) {
            let Some(RouteTarget::Node(from)) = input.source.as_ref().and_then(|s| graph.target(&s.text)) else {
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

/// The steps that lead to a step, be it through gates, and those gates.
fn steps_before(graph: &WorkflowGraph<'_>, back: &[Vec<usize>], step: usize) -> HashSet<usize> {
    let mut found: HashSet<usize> = HashSet::new();
    let mut open = back[step].clone();
    while let Some(at) = open.pop() {
        if found.insert(at) && !graph.is_step(at) {
            open.extend(&back[at]);
        }
    }
    found
}
