//! Drawings of graphs: the steps of a plan, and the steps and gates of a workflow.
//!
//! A front end makes a [`Drawing`], which has no file format; one file per format writes it.

pub mod columns;
mod edges;
mod labels;
mod layout;
mod mermaid;
pub mod svg;

pub use mermaid::to_mermaid;

use std::borrow::Cow;

/// Nodes and the edges between them.
#[derive(Clone, Debug, Default)]
pub struct Drawing<'a> {
    pub title: Cow<'a, str>,
    pub nodes: Vec<DrawnNode<'a>>,
    /// Edges to nodes that do not exist are not drawn.
    pub edges: Vec<DrawnEdge<'a>>,
    /// The classes of nodes for the legend of Mermaid, in order.
    pub classes: Vec<NodeClass>,
}

/// A node.
#[derive(Clone, Debug)]
pub struct DrawnNode<'a> {
    pub label: Cow<'a, str>,
    /// A second, smaller line, in SVG only.
    pub note: Cow<'a, str>,
    /// Addition to the label in formats without a second line.
    pub suffix: Cow<'a, str>,
    pub shape: NodeShape,
    pub class: NodeClass,
    /// Whether to emphasize the node.
    pub is_marked: bool,
}

/// The look of nodes with one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeClass {
    pub name: &'static str,
    /// The fill colour, with enough contrast to black text.
    pub fill: &'static str,
}

/// The outline of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeShape {
    Box,
    /// A person decides.
    Hexagon,
    /// A part of another node.
    Part,
    /// An end of the graph.
    Pill,
}

/// An edge.
#[derive(Clone, Debug, Default)]
pub struct DrawnEdge<'a> {
    /// The nodes by index.
    pub from: usize,
    pub to: usize,
    pub label: Cow<'a, str>,
    pub is_dashed: bool,
    /// Whether to emphasize the edge.
    pub is_marked: bool,
}

/// The colour of marked edges, visible on light and dark ground.
const MARKED: &str = "#2563eb";
