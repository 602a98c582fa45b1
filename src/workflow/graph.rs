//! Steps and gates as a graph: which names there are, what a run can reach, from where it can end.
//!
//! Nothing here recurses: a workflow may be as long as its file allows.

use crate::canon::plan::SpannedText;
use crate::canon::workflow::{END, WorkflowDefinition};
use std::collections::HashMap;

/// Words that a detour may name beside steps and gates: what the run itself does.
pub const ACTIONS: [&str; 8] = ["abort", "fail", "continue", "skip", "retry", "pause", "ignore", "cancel"];
/// Words that a route may name beside steps and gates: how a run ends otherwise than well.
pub const ENDINGS: [&str; 2] = ["abort", "fail"];

/// What a name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteTarget {
    /// A step or gate by its number: steps first, then gates.
    Node(usize),
    /// The end.
    End,
}

/// The steps and gates of one workflow and where they lead, by number.
#[derive(Debug)]
pub struct WorkflowGraph<'a> {
    first: HashMap<&'a str, usize>,
    steps: usize,
    edges: Vec<Vec<usize>>,
    ends: Vec<bool>,
}

impl<'a> WorkflowGraph<'a> {
    /// Reads names and routes. Where steps or gates share a name, the first is meant by it.
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
            // An option without a way of its own may name it in its value.
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

    /// What a name leads to; nothing where it is no step, no gate and not the end.
    pub fn target(&self, name: &str) -> Option<RouteTarget> {
        if name == END {
            return Some(RouteTarget::End);
        }
        self.first.get(name).copied().map(RouteTarget::Node)
    }

    /// How many steps and gates there are.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Whether there is neither a step nor a gate.
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// Whether a number is a step's.
    pub fn is_step(&self, node: usize) -> bool {
        node < self.steps
    }

    /// Where a step or gate leads.
    pub fn edges(&self, node: usize) -> &[usize] {
        &self.edges[node]
    }

    /// Which steps and gates a run can come to; it begins at the first step.
    pub fn reachable(&self) -> Vec<bool> {
        let start = if self.steps > 0 { vec![0] } else { Vec::new() };
        flood(&self.edges, start)
    }

    /// From which steps and gates a run can come to the end.
    pub fn ending(&self) -> Vec<bool> {
        let start = (0..self.len()).filter(|node| self.ends[*node]).collect();
        flood(&self.backwards(), start)
    }

    /// The edges turned round.
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
