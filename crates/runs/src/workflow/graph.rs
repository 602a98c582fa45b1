//! The graph of a workflow's steps and gates: names, reachability, and ways to the end.
//!
//! Nothing here recurses, because a workflow can have any length.

use super::target::{self, GateAnswer, GateTimeout, RunAction, StepTarget};
use canonry_model::canon::workflow::{END, WorkflowDefinition, WorkflowStep};
use std::collections::{HashMap, HashSet};

/// The steps and gates of a workflow and the edges between them, by index. Gates come after all steps.
#[derive(Debug)]
pub struct WorkflowGraph<'a> {
    definition: &'a WorkflowDefinition,
    first: HashMap<&'a str, usize>,
    edges: Vec<Vec<usize>>,
    ends: Vec<bool>,
    returns: Vec<GateReturn>,
    triggers: Vec<Vec<usize>>,
}

/// An answer at a gate that concerns the step that led to it. It is no edge: the step continues as its own routes say,
/// and where a gate has several steps before it, a run returns to the one it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateReturn {
    /// The gate, by its index in the graph.
    pub gate: usize,
    /// The step.
    pub step: usize,
    /// Whether the step is repeated, and not approved.
    pub repeats: bool,
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
        let mut graph = Self {
            definition,
            first,
            edges: vec![Vec::new(); nodes],
            ends: vec![false; nodes],
            returns: Vec::new(),
            triggers: vec![Vec::new(); definition.gates.len()],
        };
        for (at, step) in definition.steps.iter().enumerate() {
            let routes = step.routes.iter().filter_map(|route| route.target.as_ref());
            for target in routes.chain(step.detours().map(|(_, target)| target)) {
                match graph.resolve(&target.text) {
                    Some(StepTarget::Action(RunAction::Retry)) => graph.edges[at].push(at),
                    Some(target) => graph.lead(at, target),
                    None => {}
                }
            }
        }
        graph.lead_to_triggered_gates();
        graph.lead_from_gates();
        graph
    }

    /// Adds the edges to gates that only their condition opens.
    fn lead_to_triggered_gates(&mut self) {
        let graph = &*self;
        let choices = graph.definition.gates.iter().enumerate().flat_map(|(gate, has)| {
            (0..has.choices.len()).filter_map(move |option| graph.resolve_option(gate, option))
        });
        let mut routed: HashSet<usize> = self.edges.iter().flatten().copied().collect();
        routed.extend(choices.filter_map(|answer| match answer {
            GateAnswer::Go(StepTarget::Gate(gate)) => Some(self.step_count() + gate),
            _ => None,
        }));
        for (number, gate) in self.definition.gates.iter().enumerate() {
            let node = self.step_count() + number;
            let Some(condition) = gate.trigger.as_ref().filter(|_| !routed.contains(&node)) else { continue };
            let steps = self.definition.steps.iter().enumerate();
            let named = steps.filter(|(_, step)| names_output(&condition.text, step));
            let named: Vec<usize> = named.map(|(at, _)| at).collect();
            named.iter().for_each(|step| self.edges[*step].push(node));
            self.triggers[number] = named;
        }
    }

    /// Adds the edges of the options.
    fn lead_from_gates(&mut self) {
        let mut answers = Vec::new();
        for (number, gate) in self.definition.gates.iter().enumerate() {
            let at = self.step_count() + number;
            for option in 0..gate.choices.len() {
                match self.resolve_option(number, option) {
                    Some(GateAnswer::Approve | GateAnswer::Go(StepTarget::Action(RunAction::Skip))) => {
                        answers.push((at, false));
                    }
                    Some(GateAnswer::Reject | GateAnswer::Go(StepTarget::Action(RunAction::Retry))) => {
                        answers.push((at, true));
                    }
                    Some(GateAnswer::Go(target)) => self.lead(at, target),
                    // A person decides whether the step before is repeated.
                    None if self.definition.gates[number].choices[option].target.is_none() => {
                        answers.extend([(at, false), (at, true)]);
                    }
                    None => {}
                }
            }
        }
        let back = self.backwards();
        for (gate, repeats) in answers {
            let before = self.nodes_before(&back, gate).into_iter().filter(|node| self.is_step(*node));
            let returns: Vec<_> = before.map(|step| GateReturn { gate, step, repeats }).collect();
            self.returns.extend(returns);
        }
    }

    fn lead(&mut self, from: usize, to: StepTarget) {
        match to {
            StepTarget::End => self.ends[from] = true,
            StepTarget::Step(to) => self.edges[from].push(to),
            StepTarget::Gate(to) => {
                let to = self.step_count() + to;
                self.edges[from].push(to);
            }
            StepTarget::Action(_) => {}
        }
    }

    /// The step or gate with a name, by its index in the graph. `trigger_X` means the gate `X` or `gate_X`.
    pub fn node(&self, name: &str) -> Option<usize> {
        if let Some(node) = self.first.get(name) {
            return Some(*node);
        }
        let gate = name.strip_prefix("trigger_")?;
        let node = self.first.get(gate).copied().filter(|node| !self.is_step(*node));
        node.or_else(|| self.first.get(format!("gate_{gate}").as_str()).copied().filter(|node| !self.is_step(*node)))
    }

    /// The definition that the graph describes.
    pub fn definition(&self) -> &'a WorkflowDefinition {
        self.definition
    }

    /// The number of steps.
    pub fn step_count(&self) -> usize {
        self.definition.steps.len()
    }

    /// The number of steps and gates.
    pub fn node_count(&self) -> usize {
        self.edges.len()
    }

    /// Whether an index is that of a step.
    pub fn is_step(&self, node: usize) -> bool {
        node < self.step_count()
    }

    /// The successors of a step or gate.
    pub fn edges(&self, node: usize) -> &[usize] {
        &self.edges[node]
    }

    /// The steps and gates that a run can reach. A run begins at the first step.
    pub fn reachable(&self) -> Vec<bool> {
        let start = if self.step_count() > 0 { vec![0] } else { Vec::new() };
        flood(&self.edges, start)
    }

    /// The steps and gates from which a run can reach the end.
    pub fn ending(&self) -> Vec<bool> {
        let start = (0..self.node_count()).filter(|node| self.ends[*node]).collect();
        let mut back = self.backwards();
        self.returns.iter().for_each(|found| back[found.step].push(found.gate));
        flood(&back, start)
    }

    /// The answers at gates that concern the step before the gate.
    pub fn returns(&self) -> &[GateReturn] {
        &self.returns
    }

    /// The steps and gates from which a node is reached directly or through gates.
    pub fn nodes_before(&self, back: &[Vec<usize>], node: usize) -> HashSet<usize> {
        let mut found: HashSet<usize> = HashSet::new();
        let mut open = back[node].clone();
        while let Some(at) = open.pop() {
            if found.insert(at) && !self.is_step(at) {
                open.extend(&back[at]);
            }
        }
        found
    }

    /// The steps after which the condition of a gate opens it: those whose output it names. None if a route leads to the
    /// gate.
    pub fn triggers(&self, gate: usize) -> &[usize] {
        &self.triggers[gate]
    }

    /// The reversed edges.
    pub fn backwards(&self) -> Vec<Vec<usize>> {
        let mut back = vec![Vec::new(); self.node_count()];
        for (from, edges) in self.edges.iter().enumerate() {
            for to in edges {
                back[*to].push(from);
            }
        }
        back
    }
}

/// Whether a condition names the output of a step or a field of it.
fn names_output(condition: &str, step: &WorkflowStep) -> bool {
    let words = || condition.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')));
    let is_own = |word: &str| {
        let word = word.strip_prefix("phases.").unwrap_or(word);
        word.split_once('.').is_some_and(|(name, _)| name == step.name.text)
    };
    let mut fields = step.output.iter().flat_map(|output| &output.fields);
    words().any(is_own) || fields.any(|field| words().any(|word| word == field.name.text))
}

impl WorkflowGraph<'_> {
    /// Target of a name; `None` if it is unknown. `trigger_X` means the gate `X` or `gate_X`.
    pub fn resolve(&self, name: &str) -> Option<StepTarget> {
        if name == END {
            return Some(StepTarget::End);
        }
        match self.node(name) {
            Some(node) => Some(self.target_of(node)),
            None => target::action(name).map(StepTarget::Action),
        }
    }

    /// The target that is a step or gate, by its index in the graph.
    fn target_of(&self, node: usize) -> StepTarget {
        if self.is_step(node) { StepTarget::Step(node) } else { StepTarget::Gate(node - self.step_count()) }
    }

    /// Action of a gate's option: its `goto`, or what its value stands for. `None` if neither is known.
    pub fn resolve_option(&self, gate: usize, option: usize) -> Option<GateAnswer> {
        let option = self.definition().gates.get(gate)?.choices.get(option)?;
        let name = option.target.as_ref().or(option.value.as_ref())?.text.as_str();
        match self.resolve(name) {
            Some(StepTarget::Action(RunAction::Continue)) => Some(GateAnswer::Approve),
            Some(target) => Some(GateAnswer::Go(target)),
            None => target::answer_word(name),
        }
    }

    /// Action of a gate if nobody answers in time. `None` without a valid `timeout_action`.
    pub fn resolve_timeout(&self, gate: usize) -> Option<GateTimeout> {
        let gate = self.definition().gates.get(gate)?;
        let action = gate.timeout_action.as_ref()?.text.as_str();
        let named = target::option_named(gate, action).map(GateTimeout::Choose);
        match action {
            "continue" => gate.default_option().map(GateTimeout::Choose).or(named),
            _ if named.is_some() => named,
            "pause" => Some(GateTimeout::Pause),
            "abort" => Some(GateTimeout::Abort),
            _ => None,
        }
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
