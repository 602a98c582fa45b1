//! A workflow as a graph for people: steps with their parts, gates, ends, the conditions between them, and the path that a
//! run took.

use super::engine::task_name;
use super::event::{Destination, JournalEntry, RunEvent, StepOutcome, TaskOutcome, TaskRole, WorkflowEnd};
use super::graph::WorkflowGraph;
use super::run_state::{RunPosition, RunState, TaskState};
use super::target::{GateAnswer, GateTimeout, RunAction, StepTarget};
use canonry_model::canon::workflow::{WorkflowDefinition, WorkflowStep};
use canonry_text::node::SpannedText;

/// The graph.
#[derive(Clone, Debug, Default)]
pub struct WorkflowDiagram {
    pub nodes: Vec<DiagramNode>,
    pub edges: Vec<DiagramEdge>,
    /// Whether it shows a run.
    pub has_run: bool,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagramNode {
    pub kind: NodeKind,
    /// The name in the workflow.
    pub name: String,
    /// Who does it, or what else is worth knowing.
    pub detail: String,
    pub state: NodeState,
    /// Number of the run's visits.
    pub visits: u64,
}

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    Step,
    /// A step that a person does.
    PersonStep,
    /// A parallel child, a generator or an evaluator.
    Part,
    /// Where parallel children come together.
    Join,
    Gate,
    /// A person decides how to go on after a failure.
    Person,
    End,
    Abort,
}

/// Latest state of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeState {
    #[default]
    Pending,
    Current,
    /// For a person.
    Waiting,
    Done,
    Failed,
    Rejected,
    Skipped,
}

/// An edge between nodes, by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagramEdge {
    pub from: usize,
    pub to: usize,
    pub kind: EdgeKind,
    /// The condition, the option, or the kind of failure.
    pub label: String,
    /// Number of times that the run went this way.
    pub taken: u64,
}

/// When a run takes an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    Route,
    Failure,
    /// Between a step and its parts.
    Part,
}

impl WorkflowDiagram {
    /// The graph of a definition.
    pub fn new(definition: &WorkflowDefinition) -> Self {
        let graph = WorkflowGraph::new(definition);
        let mut builder =
            Builder { definition, graph: &graph, diagram: Self::default(), starts: Vec::new(), exits: Vec::new() };
        builder.add_nodes();
        builder.add_routes();
        builder.add_gates();
        builder.diagram
    }

    /// Adds what a run did.
    #[must_use]
    pub fn with_run(mut self, definition: &WorkflowDefinition, state: &RunState, entries: &[JournalEntry]) -> Self {
        self.has_run = true;
        self.set_states(definition, state);
        for entry in entries {
            let (from, is_failure, next) = match &entry.event {
                RunEvent::StepEnded { step, outcome, next, .. } => {
                    (step, matches!(outcome, StepOutcome::Failed | StepOutcome::Skipped), next)
                }
                RunEvent::PersonAnswered { name, next, .. } | RunEvent::GateExpired { name, next, .. } => {
                    (name, false, next)
                }
                RunEvent::Notified { gate, next, .. } => (gate, false, next),
                _ => continue,
            };
            self.take(from, is_failure, next);
        }
        self
    }

    fn set_states(&mut self, definition: &WorkflowDefinition, state: &RunState) {
        for ended in &state.ended_steps {
            let reached = match ended.outcome {
                StepOutcome::Done => NodeState::Done,
                StepOutcome::Failed => NodeState::Failed,
                StepOutcome::Rejected => NodeState::Rejected,
                StepOutcome::Skipped => NodeState::Skipped,
            };
            self.set(&ended.step, reached);
            self.set_parts(definition, &ended.step, &ended.tasks);
        }
        for answer in &state.answers {
            self.set(&answer.name, NodeState::Done);
        }
        if let Some(current) = &state.current {
            self.set(&current.step, if state.is_ended() { NodeState::Failed } else { NodeState::Current });
            self.set_parts(definition, &current.step, &current.tasks);
        } else if let (RunPosition::Step(name), None) = (&state.position, &state.question) {
            self.set(name, NodeState::Current);
        }
        if let Some(question) = &state.question {
            self.set(&question.name, NodeState::Waiting);
        }
        for node in &mut self.nodes {
            if let NodeKind::Step | NodeKind::PersonStep | NodeKind::Gate = node.kind {
                node.visits = state.visits.get(&node.name).copied().unwrap_or_default();
                // Gates that expired or only notify are not among the answers.
                if node.visits > 0 && node.state == NodeState::Pending {
                    node.state = NodeState::Done;
                }
            }
        }
        match &state.end {
            Some((WorkflowEnd::Complete, _)) => self.reach(NodeKind::End, NodeState::Done),
            Some((WorkflowEnd::Aborted, _)) => self.reach(NodeKind::Abort, NodeState::Failed),
            None => {}
        }
    }

    /// The state of a step or gate, and of the join of a step.
    fn set(&mut self, name: &str, state: NodeState) {
        for node in self.nodes.iter_mut().filter(|node| node.name == name && node.kind != NodeKind::Part) {
            node.state = state;
        }
    }

    /// The states of a step's parts. They follow their step.
    fn set_parts(&mut self, definition: &WorkflowDefinition, step: &str, tasks: &[TaskState]) {
        let Some(known) = definition.steps.iter().find(|known| known.name.text == step) else { return };
        let Some(at) = self.nodes.iter().position(|node| node.name == step) else { return };
        for task in tasks.iter().filter(|task| task.role != TaskRole::Step) {
            let name = task_name(known, task.role);
            let mut parts = self.nodes.iter_mut().enumerate().skip(at + 1);
            let mut parts = parts.by_ref().take_while(|(_, node)| node.kind == NodeKind::Part);
            if let Some((number, part)) = parts.find(|(_, part)| part.name == name) {
                part.visits += 1;
                part.state = match task.end.as_ref().map(|end| end.result) {
                    Some(TaskOutcome::Done) => NodeState::Done,
                    Some(TaskOutcome::Failed) => NodeState::Failed,
                    Some(TaskOutcome::Limit | TaskOutcome::Stopped) => NodeState::Pending,
                    None => NodeState::Current,
                };
                let is_done = part.state == NodeState::Done;
                let ways = self.edges.iter_mut().filter(|edge| edge.kind == EdgeKind::Part && edge.label.is_empty());
                for edge in ways.filter(|edge| edge.to == number || edge.from == number && is_done) {
                    edge.taken = 1;
                }
            }
        }
    }

    /// The only node of a kind, added if it is missing.
    fn the(&mut self, kind: NodeKind) -> usize {
        let found = self.nodes.iter().position(|node| node.kind == kind);
        found.unwrap_or_else(|| {
            let name = match kind {
                NodeKind::Abort => "abort",
                NodeKind::Person => "a person decides",
                _ => "end",
            };
            self.nodes.push(DiagramNode::new(kind, name, ""));
            self.nodes.len() - 1
        })
    }

    fn reach(&mut self, kind: NodeKind, state: NodeState) {
        let at = self.the(kind);
        self.nodes[at].state = state;
        self.nodes[at].visits = self.nodes[at].visits.max(1);
    }

    /// Counts a way from a step or gate; one that the definition does not show is added.
    fn take(&mut self, from: &str, is_failure: bool, next: &Destination) {
        let named = |name: &str| self.nodes.iter().position(|node| node.name == name && node.kind != NodeKind::Part);
        let to = match next {
            Destination::Step(name) | Destination::Gate(name) => named(name),
            Destination::Person => Some(self.the(NodeKind::Person)),
            Destination::Complete => Some(self.the(NodeKind::End)),
            Destination::Abort => Some(self.the(NodeKind::Abort)),
        };
        let named = |name: &str| self.nodes.iter().position(|node| node.name == name && node.kind != NodeKind::Part);
        let (Some(to), Some(first)) = (to, named(from)) else { return };
        if self.nodes[to].kind == NodeKind::Person {
            self.nodes[to].state = NodeState::Done;
            self.nodes[to].visits += 1;
        }
        // The ways of a step with parts begin where the parts come together.
        let exits: Vec<usize> =
            self.nodes.iter().enumerate().filter(|(_, node)| node.name == from).map(|(at, _)| at).collect();
        let is_way = |edge: &&mut DiagramEdge| {
            edge.to == to && edge.kind != EdgeKind::Part && (edge.from == first || exits.contains(&edge.from))
        };
        let kind = if is_failure { EdgeKind::Failure } else { EdgeKind::Route };
        let at = self.edges.iter_mut().filter(is_way).map(|edge| edge.kind == kind).position(|same| same);
        let mut ways = self.edges.iter_mut().filter(is_way);
        match ways.nth(at.unwrap_or(0)) {
            Some(edge) => edge.taken += 1,
            None => {
                let from = exits.into_iter().rev().find(|at| self.nodes[*at].kind == NodeKind::Join).unwrap_or(first);
                self.edges.push(DiagramEdge { from, to, kind, label: String::new(), taken: 1 });
            }
        }
    }
}

impl DiagramNode {
    fn new(kind: NodeKind, name: &str, detail: &str) -> Self {
        Self { kind, name: name.to_owned(), detail: detail.to_owned(), state: NodeState::Pending, visits: 0 }
    }
}

struct Builder<'a> {
    definition: &'a WorkflowDefinition,
    graph: &'a WorkflowGraph<'a>,
    diagram: WorkflowDiagram,
    /// The nodes at which steps begin, then those of gates.
    starts: Vec<usize>,
    /// The nodes from which the ways of steps lead on.
    exits: Vec<usize>,
}

impl Builder<'_> {
    fn add_nodes(&mut self) {
        for step in &self.definition.steps {
            let kind = if step.human.is_some() { NodeKind::PersonStep } else { NodeKind::Step };
            let start = self.node(kind, &step.name.text, &detail(step));
            let exit = self.add_parts(step, start);
            self.starts.push(start);
            self.exits.push(exit);
        }
        for gate in &self.definition.gates {
            let detail = gate.kind.as_ref().filter(|kind| kind.text != "interrupt").map_or("gate", |kind| &kind.text);
            let at = self.node(NodeKind::Gate, &gate.id.text, detail);
            self.starts.push(at);
            self.exits.push(at);
        }
    }

    fn node(&mut self, kind: NodeKind, name: &str, detail: &str) -> usize {
        self.diagram.nodes.push(DiagramNode::new(kind, name, detail));
        self.diagram.nodes.len() - 1
    }

    /// Adds the parts of a step, and says from which node its ways lead on.
    fn add_parts(&mut self, step: &WorkflowStep, start: usize) -> usize {
        let owner = |owner: Option<&SpannedText>| owner.map(|owner| owner.text.clone()).unwrap_or_default();
        if let Some(evaluation) = &step.evaluation {
            let generator = self.node(NodeKind::Part, "generator", &evaluation.generator.text);
            let evaluator = self.node(NodeKind::Part, "evaluator", &evaluation.evaluator.text);
            let join = self.node(NodeKind::Join, &step.name.text, "passed");
            self.edge(start, generator, EdgeKind::Part, "");
            self.edge(generator, evaluator, EdgeKind::Part, "");
            self.edge(evaluator, generator, EdgeKind::Part, "below threshold");
            self.edge(evaluator, join, EdgeKind::Part, "");
            return join;
        }
        if step.fan_out.children.is_empty() {
            return start;
        }
        let parts: Vec<usize> = step
            .fan_out
            .children
            .iter()
            .enumerate()
            .map(|(at, child)| {
                let name = task_name(step, TaskRole::Child(at));
                let owner = owner(child.owner.as_ref().filter(|owner| owner.text != name));
                self.node(NodeKind::Part, &name, &owner)
            })
            .collect();
        let strategy = step.fan_out.strategy.as_ref().map_or("all", |strategy| strategy.text.as_str());
        let join = self.node(NodeKind::Join, &step.name.text, strategy);
        for part in parts {
            self.edge(start, part, EdgeKind::Part, "");
            self.edge(part, join, EdgeKind::Part, "");
        }
        join
    }

    /// Adds an edge. Several with the same ends and kind become one.
    fn edge(&mut self, from: usize, to: usize, kind: EdgeKind, label: &str) {
        let same = |edge: &&mut DiagramEdge| (edge.from, edge.to, edge.kind) == (from, to, kind);
        match self.diagram.edges.iter_mut().find(same) {
            Some(edge) if edge.label.is_empty() || label.is_empty() => edge.label.clear(),
            Some(edge) if edge.label.split(" or ").any(|part| part == label) => {}
            Some(edge) => edge.label = format!("{} or {label}", edge.label),
            None => {
                let label = label.split_whitespace().collect::<Vec<_>>().join(" ");
                self.diagram.edges.push(DiagramEdge { from, to, kind, label, taken: 0 });
            }
        }
    }

    fn add_routes(&mut self) {
        for (at, step) in self.definition.steps.iter().enumerate() {
            let exit = self.exits[at];
            for route in &step.routes {
                let Some(target) = &route.target else { continue };
                let label = route.condition.as_ref().map_or("", |condition| condition.text.as_str());
                if let Some(to) = self.destination(&target.text, at) {
                    self.edge(exit, to, EdgeKind::Route, label);
                }
            }
            if !step.routes.iter().any(|route| route.condition.is_none()) {
                let to = self.following(at);
                self.edge(exit, to, EdgeKind::Route, "");
            }
            for (key, target) in step.detours() {
                let label = match key {
                    "on_failure" => "failure",
                    "on_max_retries_exceeded" => "retries exhausted",
                    "on_all_failed" => "all failed",
                    _ => "any failed",
                };
                if let Some(to) = self.destination(&target.text, at) {
                    self.edge(exit, to, EdgeKind::Failure, label);
                }
            }
        }
    }

    /// The node that a name in a step stands for.
    fn destination(&mut self, name: &str, step: usize) -> Option<usize> {
        match self.graph.resolve(name)? {
            StepTarget::Action(action) => Some(match action {
                RunAction::Abort | RunAction::Fail => self.diagram.the(NodeKind::Abort),
                RunAction::Continue | RunAction::Skip => self.onward(step),
                RunAction::Retry => self.starts[step],
                RunAction::Pause | RunAction::Escalate => self.diagram.the(NodeKind::Person),
            }),
            target => self.place(target),
        }
    }

    fn place(&mut self, target: StepTarget) -> Option<usize> {
        match target {
            StepTarget::Step(at) => self.starts.get(at).copied(),
            StepTarget::Gate(at) => self.starts.get(self.definition.steps.len() + at).copied(),
            StepTarget::End => Some(self.diagram.the(NodeKind::End)),
            StepTarget::Action(_) => None,
        }
    }

    /// Where a run goes on after a step without a decision, as the engine does.
    fn onward(&mut self, at: usize) -> usize {
        let step = &self.definition.steps[at];
        let fallback = step.routes.iter().rev().find(|route| route.condition.is_none());
        let target = fallback.and_then(|route| self.graph.resolve(&route.target.as_ref()?.text));
        let place = target.and_then(|target| self.place(target));
        place.unwrap_or_else(|| self.following(at))
    }

    fn following(&mut self, at: usize) -> usize {
        let is_last = self.definition.steps[at].ends || at + 1 >= self.definition.steps.len();
        if is_last { self.diagram.the(NodeKind::End) } else { self.starts[at + 1] }
    }

    fn add_gates(&mut self) {
        let back = self.graph.backwards();
        for (number, gate) in self.definition.gates.iter().enumerate() {
            let at = self.definition.steps.len() + number;
            let node = self.starts[at];
            let mut before: Vec<usize> =
                self.graph.nodes_before(&back, at).into_iter().filter(|node| self.graph.is_step(*node)).collect();
            before.sort_unstable();
            for step in self.graph.triggers(number).to_vec() {
                let condition = gate.trigger.as_ref().map_or("", |trigger| trigger.text.as_str());
                self.edge(self.exits[step], node, EdgeKind::Route, condition);
            }
            for option in 0..gate.choices.len() {
                let label = gate.choices[option].value.as_ref().map_or("", |value| value.text.as_str());
                for to in self.answer(number, option, &before, node) {
                    self.edge(node, to, EdgeKind::Route, label);
                }
            }
            match self.graph.resolve_timeout(number) {
                Some(GateTimeout::Abort) => {
                    let to = self.diagram.the(NodeKind::Abort);
                    self.edge(node, to, EdgeKind::Failure, "timeout");
                }
                Some(GateTimeout::Choose(option)) => {
                    for to in self.answer(number, option, &before, node) {
                        self.edge(node, to, EdgeKind::Failure, "timeout");
                    }
                }
                Some(GateTimeout::Pause) | None => {}
            }
        }
    }

    /// The nodes to which an option of a gate leads.
    fn answer(&mut self, gate: usize, option: usize, before: &[usize], node: usize) -> Vec<usize> {
        match self.graph.resolve_option(gate, option) {
            Some(GateAnswer::Approve | GateAnswer::Go(StepTarget::Action(RunAction::Continue | RunAction::Skip))) => {
                let mut found = Vec::new();
                for step in before {
                    let onward = self.onward(*step);
                    found.push(if onward == node { self.following(*step) } else { onward });
                }
                found.sort_unstable();
                found.dedup();
                found
            }
            Some(GateAnswer::Reject | GateAnswer::Go(StepTarget::Action(RunAction::Retry))) => {
                before.iter().map(|step| self.starts[*step]).collect()
            }
            Some(GateAnswer::Go(StepTarget::Action(RunAction::Abort | RunAction::Fail))) => {
                vec![self.diagram.the(NodeKind::Abort)]
            }
            Some(GateAnswer::Go(StepTarget::Action(RunAction::Pause | RunAction::Escalate))) | None => Vec::new(),
            Some(GateAnswer::Go(target)) => self.place(target).into_iter().collect(),
        }
    }
}

/// Who does a step, and how often at once.
fn detail(step: &WorkflowStep) -> String {
    let owner = step.owner.as_ref().map(|owner| owner.text.as_str());
    match (step.human.is_some(), &step.plan, step.fan_out.count().filter(|count| *count > 1)) {
        (true, _, _) => "person".to_owned(),
        (_, Some(plan), _) => format!("plan {}", plan.text),
        (_, _, Some(count)) => {
            format!("{count} candidates{}", owner.map(|owner| format!(" by {owner}")).unwrap_or_default())
        }
        _ if !step.fan_out.children.is_empty() => format!("{} parts", step.fan_out.children.len()),
        _ => owner.unwrap_or_default().to_owned(),
    }
}
