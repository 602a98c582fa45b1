//! Finds loops without a bound.

use super::WorkflowGraph;
use super::target::{GateAnswer, GateTimeout, RunAction, StepTarget};
use canonry_model::canon::workflow::WorkflowDefinition;
use std::collections::{HashMap, HashSet, VecDeque};

/// The loops that a run may repeat forever, each as its steps and gates. Of each strongly connected component, the
/// shortest loop through its first step.
///
/// `max_retries` on a step and a gate that waits for a person bound every loop through them, because the engine counts the
/// attempts of all visits; `max_steps` bounds all loops.
pub fn unbounded(definition: &WorkflowDefinition, graph: &WorkflowGraph<'_>) -> Vec<Vec<usize>> {
    if definition.max_steps.is_some() {
        return Vec::new();
    }
    let steps = definition.steps.iter().map(|step| match step.retry.bound() {
        Some(_) => Passage::Bounded,
        None => Passage::Any,
    });
    let gates = (0..definition.gates.len()).map(|gate| Passage::of_gate(graph, gate));
    let passages: Vec<Passage> = steps.chain(gates).collect();
    let is_free = |node: usize| passages[node] != Passage::Bounded;
    let mut edges: Vec<Vec<usize>> = (passages.iter().enumerate())
        .map(|(node, passage)| match passage {
            Passage::Any => graph.edges(node).iter().copied().filter(|to| is_free(*to)).collect(),
            Passage::To(to) => Vec::from_iter(Some(*to).filter(|to| is_free(*to))),
            Passage::Repeat | Passage::Bounded => Vec::new(),
        })
        .collect();
    let repeats = |gate: usize| matches!(passages[gate], Passage::Any | Passage::Repeat);
    for answer in graph.returns().iter().filter(|answer| answer.repeats && repeats(answer.gate) && is_free(answer.step))
    {
        edges[answer.gate].push(answer.step);
    }
    let mut found: Vec<Vec<usize>> =
        components(&edges).iter().filter_map(|component| shortest(&edges, component)).collect();
    found.sort();
    found
}

/// Where a run goes on after a step or a gate without a person and without a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passage {
    Bounded,
    /// Along any edge.
    Any,
    /// To this step or gate.
    To(usize),
    /// To the step before the gate, again.
    Repeat,
}

impl Passage {
    /// A gate waits for a person, unless its timeout chooses an option.
    fn of_gate(graph: &WorkflowGraph<'_>, gate: usize) -> Self {
        let Some(definition) = graph.definition().gates.get(gate) else { return Self::Bounded };
        if definition.is_notification() {
            return Self::Any;
        }
        let chosen = match graph.resolve_timeout(gate).filter(|_| definition.timeout.is_some()) {
            Some(GateTimeout::Choose(option)) => graph.resolve_option(gate, option),
            _ => None,
        };
        match chosen {
            Some(GateAnswer::Go(StepTarget::Step(step))) => Self::To(step),
            Some(GateAnswer::Go(StepTarget::Gate(gate))) => Self::To(graph.step_count() + gate),
            Some(GateAnswer::Reject | GateAnswer::Go(StepTarget::Action(RunAction::Retry))) => Self::Repeat,
            _ => Self::Bounded,
        }
    }
}

/// Strongly connected components and self-loops, by Kosaraju's algorithm.
fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut back = vec![Vec::new(); edges.len()];
    for (from, to) in edges.iter().enumerate().flat_map(|(from, edges)| edges.iter().map(move |to| (from, *to))) {
        back[to].push(from);
    }
    let mut seen = vec![false; edges.len()];
    let mut found = Vec::new();
    for root in post_order(edges).into_iter().rev() {
        let group = gather(&back, root, &mut seen);
        if group.len() > 1 || group.iter().any(|node| edges[*node].contains(node)) {
            found.push(group);
        }
    }
    found
}

/// The nodes in post-order of a depth-first search.
fn post_order(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; edges.len()];
    let mut order = Vec::with_capacity(edges.len());
    for root in 0..edges.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((at, edge)) = path.last_mut() {
            let Some(&to) = edges[*at].get(*edge) else {
                order.push(*at);
                path.pop();
                continue;
            };
            *edge += 1;
            if !std::mem::replace(&mut seen[to], true) {
                path.push((to, 0));
            }
        }
    }
    order
}

fn gather(edges: &[Vec<usize>], root: usize, seen: &mut [bool]) -> Vec<usize> {
    if std::mem::replace(&mut seen[root], true) {
        return Vec::new();
    }
    let mut group = vec![root];
    let mut next = 0;
    while let Some(&at) = group.get(next) {
        next += 1;
        for &to in &edges[at] {
            if !std::mem::replace(&mut seen[to], true) {
                group.push(to);
            }
        }
    }
    group
}

/// The shortest loop through the first node of a group, found breadth first.
fn shortest(edges: &[Vec<usize>], group: &[usize]) -> Option<Vec<usize>> {
    let start = *group.iter().min()?;
    let inside: HashSet<usize> = group.iter().copied().collect();
    let mut reached_from: HashMap<usize, usize> = HashMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(at) = queue.pop_front() {
        for &to in edges[at].iter().filter(|to| inside.contains(to)) {
            if to == start {
                let mut path: Vec<usize> =
                    std::iter::successors(Some(at), |at| reached_from.get(at).copied()).collect();
                path.reverse();
                return Some(path);
            }
            reached_from.entry(to).or_insert_with(|| {
                queue.push_back(to);
                at
            });
        }
    }
    None
}
