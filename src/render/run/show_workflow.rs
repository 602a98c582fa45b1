//! The steps and gates of a workflow, with the path of a run.

use super::graph::word;
use super::one_line;
use super::show::{Look, SHOW_SCHEMA, width};
use crate::render::human::Style;
use crate::render::{counted, json};
use canonry_app::workflow::graph::{DiagramNode, EdgeKind, NodeKind, NodeState, WorkflowGraph};
use canonry_runs::exec::RunKind;
use canonry_runs::workflow::diagram::DiagramEdge;
use serde_json::{Value, json};
use std::fmt::Write as _;

fn is_step(node: &DiagramNode) -> bool {
    matches!(node.kind, NodeKind::Step | NodeKind::PersonStep | NodeKind::Part | NodeKind::Gate)
}

/// The ways that lead on from a node.
fn ways(workflow: &WorkflowGraph, from: usize) -> impl Iterator<Item = &DiagramEdge> {
    workflow.diagram.edges.iter().filter(move |edge| edge.from == from && edge.kind != EdgeKind::Part)
}

/// The document `canonry/run-show/v1` of a workflow.
pub fn to_json(workflow: &WorkflowGraph) -> String {
    let nodes = &workflow.diagram.nodes;
    let text = |text: &str| if text.is_empty() { Value::Null } else { Value::from(text) };
    let way = |edge: &DiagramEdge| {
        json!({
            "to": nodes[edge.to].name, "when": text(&edge.label),
            "failure": edge.kind == EdgeKind::Failure, "taken": edge.taken,
        })
    };
    let step = |(at, node): (usize, &DiagramNode)| {
        let kind = match node.kind {
            NodeKind::Gate => "gate",
            NodeKind::Part => "part",
            _ => "step",
        };
        // The ways of a step with parts begin where these come together.
        let is_join = |other: &DiagramNode| other.kind == NodeKind::Join && other.name == node.name;
        let from = nodes.iter().position(is_join).filter(|_| node.kind != NodeKind::Part).unwrap_or(at);
        json!({
            "id": node.name, "kind": kind, "owner": text(&node.detail), "status": word(node.state),
            "visits": node.visits, "next": ways(workflow, from).map(way).collect::<Vec<_>>(),
        })
    };
    json::to_text(&json!({
        "schema": SHOW_SCHEMA,
        "kind": RunKind::Workflow,
        "name": workflow.name,
        "path": workflow.path.as_ref().map(|path| path.to_display()),
        "phase": null,
        "steps": nodes.iter().enumerate().filter(|(_, node)| is_step(node)).map(step).collect::<Vec<_>>(),
    }))
}

/// The steps and gates in the order of the file: a line for each with its marker, name and owner, and a line for each way that
/// leads on. A run adds the states and the number of times.
pub fn to_text(workflow: &WorkflowGraph, style: Style) -> String {
    let nodes = &workflow.diagram.nodes;
    let steps = || nodes.iter().filter(|node| is_step(node));
    let name_width = width(&steps().map(|node| one_line(&node.name)).collect::<Vec<_>>());
    let owner_width = width(&steps().map(|node| one_line(&node.detail)).collect::<Vec<_>>());
    let mut text = one_line(&workflow.name).into_owned();
    if let Some(path) = &workflow.path {
        let _ = write!(text, "  {path}");
    }
    text.push('\n');
    for (at, node) in nodes.iter().enumerate() {
        if is_step(node) {
            let look = look(node.state);
            let indent = if node.kind == NodeKind::Part { "  " } else { "" };
            let state = word(node.state).replace('_', " ");
            let state = if workflow.diagram.has_run { look.text(&state, style) } else { String::new() };
            let visits = usize::try_from(node.visits).ok().filter(|visits| *visits > 1);
            let visits = visits.map(|visits| format!(", {}", counted(visits, "visit"))).unwrap_or_default();
            let line = format!(
                "{indent}{} {:name_width$}  {:owner_width$}  {state}{visits}",
                look.text(look.marker, style),
                one_line(&node.name),
                one_line(&node.detail),
            );
            let _ = writeln!(text, "{}", line.trim_end());
        }
        for edge in ways(workflow, at) {
            let to = one_line(&nodes[edge.to].name);
            let when = if edge.label.is_empty() { String::new() } else { format!(" if {}", one_line(&edge.label)) };
            let taken = if edge.taken > 0 { format!("  ({}x)", edge.taken) } else { String::new() };
            let _ = writeln!(text, "      -> {to}{when}{taken}");
        }
    }
    text
}

fn look(state: NodeState) -> Look {
    match state {
        NodeState::Pending | NodeState::Skipped => Look::LATER,
        NodeState::Current => Look::CURRENT,
        NodeState::Waiting => Look::NEXT,
        NodeState::Done => Look::DONE,
        NodeState::Failed | NodeState::Rejected => Look::STOPPED,
    }
}
