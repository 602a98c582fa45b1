//! Drawings of plans and workflows. A run colours the path that it took.

use crate::render::counted;
use crate::render::drawing::{Drawing, DrawnEdge, DrawnNode, NodeClass, NodeShape};
use canonry_app::plan::StepStatus;
use canonry_app::plan::show::PlanDetails;
use canonry_app::workflow::graph::{EdgeKind, NodeKind, NodeState, WorkflowDiagram};

/// A step of a drawing.
#[derive(Clone, Copy, Debug)]
pub struct DrawnStep<'a> {
    pub id: &'a str,
    pub owner: &'a str,
    pub status: StepStatus,
    /// The dependencies by index.
    pub deps: &'a [usize],
    /// Whether to emphasize the step.
    pub is_marked: bool,
}

/// The drawing of a plan.
pub fn from_plan(outcome: &PlanDetails) -> Drawing<'_> {
    let steps = outcome.steps.iter().map(|step| DrawnStep {
        id: &step.id,
        owner: &step.owner,
        status: step.status,
        deps: &step.deps,
        is_marked: false,
    });
    Drawing { title: format!("Steps of {}", outcome.plan).into(), ..from_steps(steps) }
}

/// The drawing of steps; an arrow leads from a step to the steps that depend on it.
pub(super) fn from_steps<'a>(steps: impl Iterator<Item = DrawnStep<'a>>) -> Drawing<'a> {
    let mut drawing =
        Drawing { classes: StepStatus::VALID.into_iter().map(step_class).collect(), ..Drawing::default() };
    for (at, step) in steps.enumerate() {
        drawing.edges.extend(step.deps.iter().map(|dep| DrawnEdge { from: *dep, to: at, ..DrawnEdge::default() }));
        drawing.nodes.push(DrawnNode {
            label: step.id.into(),
            note: format!("{} · {}", step.status.as_str().replace('_', " "), step.owner).into(),
            suffix: "".into(),
            shape: NodeShape::Box,
            class: step_class(step.status),
            is_marked: step.is_marked,
        });
    }
    drawing
}

fn step_class(status: StepStatus) -> NodeClass {
    let state = match status {
        StepStatus::Pending | StepStatus::Unknown => NodeState::Pending,
        StepStatus::InProgress => NodeState::Current,
        StepStatus::Complete => NodeState::Done,
        StepStatus::Blocked => NodeState::Failed,
    };
    NodeClass { name: status.as_str(), ..class(state) }
}

/// The states in the order of the legend.
const STATES: [NodeState; 7] = [
    NodeState::Pending,
    NodeState::Current,
    NodeState::Waiting,
    NodeState::Done,
    NodeState::Failed,
    NodeState::Rejected,
    NodeState::Skipped,
];

/// The drawing of a diagram.
pub fn from_diagram<'a>(name: &'a str, diagram: &'a WorkflowDiagram) -> Drawing<'a> {
    let is_used = |state: &NodeState| diagram.nodes.iter().any(|node| node.state == *state);
    let node = |node: &'a canonry_runs::workflow::diagram::DiagramNode| {
        let label =
            if node.kind == NodeKind::Join { format!("{}: {}", node.name, node.detail) } else { node.name.clone() };
        let detail = if node.kind == NodeKind::Join { "" } else { node.detail.as_str() };
        let visits = usize::try_from(node.visits).unwrap_or(usize::MAX);
        let visits = if visits > 1 { counted(visits, "visit") } else { String::new() };
        let state = if diagram.has_run { word(node.state).replace('_', " ") } else { String::new() };
        let kind = match node.kind {
            NodeKind::Person => "person",
            _ => "",
        };
        let parts = [&state, &visits, detail, kind];
        let note: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        DrawnNode {
            label: label.into(),
            note: note.join(" · ").into(),
            suffix: visits.clone().into(),
            shape: match node.kind {
                NodeKind::Step => NodeShape::Box,
                NodeKind::Part | NodeKind::Join => NodeShape::Part,
                NodeKind::Gate | NodeKind::Person | NodeKind::PersonStep => NodeShape::Hexagon,
                NodeKind::End | NodeKind::Abort => NodeShape::Pill,
            },
            class: class(node.state),
            is_marked: false,
        }
    };
    let edge = |edge: &'a canonry_runs::workflow::diagram::DiagramEdge| {
        let label = match (edge.taken, edge.label.as_str()) {
            (0 | 1, label) => label.to_owned(),
            (taken, "") => format!("{taken}×"),
            (taken, label) => format!("{label} ({taken}×)"),
        };
        DrawnEdge {
            from: edge.from,
            to: edge.to,
            label: label.into(),
            is_dashed: edge.kind == EdgeKind::Failure,
            is_marked: edge.taken > 0,
        }
    };
    Drawing {
        title: format!("Steps and gates of {name}").into(),
        nodes: diagram.nodes.iter().map(node).collect(),
        edges: diagram.edges.iter().map(edge).collect(),
        classes: STATES.into_iter().filter(is_used).map(class).collect(),
    }
}

/// A state in the words of plans.
pub(super) fn word(state: NodeState) -> &'static str {
    match state {
        NodeState::Pending => "pending",
        NodeState::Current => "in_progress",
        NodeState::Waiting => "waiting",
        NodeState::Done => "complete",
        NodeState::Failed => "failed",
        NodeState::Rejected => "rejected",
        NodeState::Skipped => "skipped",
    }
}

fn class(state: NodeState) -> NodeClass {
    let fill = match state {
        NodeState::Pending => "#e5e7eb",
        NodeState::Current => "#93c5fd",
        NodeState::Waiting => "#fde047",
        NodeState::Done => "#86efac",
        NodeState::Failed => "#fca5a5",
        NodeState::Rejected => "#fdba74",
        NodeState::Skipped => "#d8b4fe",
    };
    NodeClass { name: word(state), fill }
}
