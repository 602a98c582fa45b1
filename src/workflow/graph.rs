//! The graph of a workflow's steps and gates: names, reachability, and ways to the end.
//!
//! Nothing here recurses, because a workflow can have any length.

use crate::canon::workflow::{END, WorkflowDefinition};
use crate::syntax::node::SpannedText;
use std::collections::HashMap;

/// Actions of the run itself that a failure target may name instead of a step or gate.
pub const ACTIONS: [&str; 8] = ["abort", "fail", "continue", "skip", "retry", "pause", "ignore", "cancel"];
/// Endings other than `end` that a route may name.
pub const ENDINGS: [&str; 2] = ["abort", "fail"];

/// The destination of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteTarget {
    /// A step or gate by index; gates come after all steps.
    Node(usize),
    /// The end of the run.
    End,
}

/// The steps and gates of a workflow and the edges between them, by index.
#[derive(Debug)]
pub struct WorkflowGraph<'a> {
    first: HashMap<&'a str, usize>,
    steps: usize,
    edges: Vec<Vec<usize>>,
    ends: Vec<bool>,
}

impl<'a> WorkflowGraph<'a> {
    /// Builds the graph. If steps or gates share a name, it refers to the first.
    pub fn new(definition: &'a WorkflowDefinition) -> Self {
        let names = definition.steps.iter().map(|step| &step.name).chain(definition.gates.iter().map(|gate| &gate.id));
        let mut first = HashMap::new();
        for (at, name) in names.enumerate().filter(|(_, name)| !name.text.is_empty()) {
            first.entry(name.text.as_str()).or_insert(at);
        }
        let nodes = definition.steps.len() + definition.gates.len();
        let mut graph =
            Self { first, steps: definition.steps.len(), edges: vec![Vec::new(); nodes], ends: vec![false; nodes] };
        for (at, step) in definition.steps.iter().enumerate() {
            step.routes.iter().filter_map(|route| route.target.as_ref()).for_each(|to| graph.lead(at, to));
            step.detours().for_each(|(_, to)| graph.lead(at, to));
        }
        for (at, gate) in definition.gates.iter().enumerate() {
            // An option without a target may name it in its value.
            let ways = gate.choices.iter().filter_map(|choice| choice.target.as_ref().or(choice.value.as_ref()));
            ways.for_each(|to| graph.lead(definition.steps.len() + at, to));
        }
        graph
    }

    fn lead(&mut self, from: usize, to: &SpannedText) {
        match self.target(&to.text) {
            Some(RouteTarget::End) => self.ends[from] = true,
            Some(RouteTarget::Node(to)) => self.edges[from].push(to),
            None => {}
        }
    }

    /// The destination of a name; `None` if it is unknown.
    pub fn target(&self, name: &str) -> Option<RouteTarget> {
        if name == END {
            return Some(RouteTarget::End);
        }
        self.first.get(name).copied().map(RouteTarget::Node)
    }

    /// The number of steps and gates.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether an index is that of a step.
    pub fn is_step(&self, node: usize) -> bool {
        node < self.steps
    }

    /// The successors of a step or gate.
    pub fn edges(&self, node: usize) -> &[usize] {
        &self.edges[node]
    }

    /// The steps and gates that a run can reach. A run begins at the first step.
    pub fn reachable(&self) -> Vec<bool> {
        let start = if self.steps > 0 { vec![0] } else { Vec::new() };
        flood(&self.edges, start)
    }

    /// The steps and gates from which a run can reach the end.
    pub fn ending(&self) -> Vec<bool> {
        let start = (0..self.len()).filter(|node| self.ends[*node]).collect();
        flood(&self.backwards(), start)
    }

    /// The reversed edges.
    pub fn backwards(&self) -> Vec<Vec<usize>> {
        let mut back = vec![Vec::new(); self.len()];
        for (from, edges) in self.edges.iter().enumerate() {
            for to in edges {
                back[*to].push(from);
            }
        }
        back
    }
}

fn flood(edges: &[Vec<usize>], start: Vec<usize>) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut open = start;
    open.iter().for_each(|node| seen[*node] = true);
    while let Some(at) = open.pop() {
        for &to in &edges[at] {
            if !seen[to] {
                seen[to] = true;
                open.push(to);
            }
        }
    }
    seen
}
