//! The dependency graph of a plan as Mermaid and SVG, with a colour per status.

use crate::render::drawing::svg::{SvgPlace, to_svg as svg};
use crate::render::drawing::{self, Drawing, DrawnEdge, DrawnNode, NodeClass, NodeShape};
use canonry_app::plan::StepStatus;
use canonry_app::plan::show::{PlanDetails, StepState};

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

/// A Mermaid flowchart. An arrow leads from a step to the steps that depend on it.
pub fn to_mermaid(outcome: &PlanDetails) -> String {
    drawing::to_mermaid(&from_plan(outcome))
}

/// The steps as an SVG file.
pub fn to_svg(outcome: &PlanDetails) -> String {
    svg(&from_plan(outcome), SvgPlace::File)
}

fn from_plan(outcome: &PlanDetails) -> Drawing<'_> {
    fn step(step: &StepState) -> DrawnStep<'_> {
        DrawnStep { id: &step.id, owner: &step.owner, status: step.status, deps: &step.deps, is_marked: false }
    }
    let mut drawing = from_steps(outcome.steps.iter().map(step));
    drawing.title = format!("Steps of {}", outcome.plan).into();
    drawing
}

/// The drawing of steps; an arrow leads from a step to the steps that depend on it.
pub(super) fn from_steps<'a>(steps: impl Iterator<Item = DrawnStep<'a>>) -> Drawing<'a> {
    let mut drawing = Drawing { classes: StepStatus::VALID.into_iter().map(class).collect(), ..Drawing::default() };
    for (at, step) in steps.enumerate() {
        drawing.edges.extend(step.deps.iter().map(|dep| DrawnEdge { from: *dep, to: at, ..DrawnEdge::default() }));
        drawing.nodes.push(DrawnNode {
            label: step.id.into(),
            note: format!("{} · {}", step.status.as_str().replace('_', " "), step.owner).into(),
            suffix: "".into(),
            shape: NodeShape::Box,
            class: class(step.status),
            is_marked: step.is_marked,
        });
    }
    drawing
}

fn class(status: StepStatus) -> NodeClass {
    let fill = match status {
        StepStatus::Pending | StepStatus::Unknown => "#e5e7eb",
        StepStatus::InProgress => "#93c5fd",
        StepStatus::Complete => "#86efac",
        StepStatus::Blocked => "#fca5a5",
    };
    NodeClass { name: status.as_str(), fill }
}
