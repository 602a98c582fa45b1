//! The labels of edges, where they cover no node and no other label.

use super::columns::fitted;
use super::edges::EdgePath;
use super::layout::{DrawingLayout, HEIGHT, WIDTH};
use super::{Drawing, layout::MARGIN};
use canonry_text::printable::one_line;
use unicode_width::UnicodeWidthStr as _;

/// The height of a label.
pub(super) const LABEL_HEIGHT: f64 = 16.0;
/// Columns of text in a label.
const LABEL_COLUMNS: usize = 34;
/// The width of a column.
const COLUMN: f64 = 6.6;
/// So many labels are placed without overlap; beyond it nobody can read them.
const MAX_LABELS: usize = 1000;

/// A label.
#[derive(Debug)]
pub(super) struct Label {
    /// The index of the edge.
    pub edge: usize,
    pub text: String,
    /// The middle.
    pub x: f64,
    pub y: f64,
    pub width: f64,
}

type Area = (f64, f64, f64, f64);

/// The labels of all edges that have one.
pub(super) fn place(drawing: &Drawing<'_>, layout: &DrawingLayout, paths: &[EdgePath]) -> Vec<Label> {
    let nodes: Vec<Area> = layout.corners.iter().map(|(x, y)| (*x, *y, x + WIDTH, y + HEIGHT)).collect();
    let mut areas: Vec<Area> = Vec::new();
    let mut labels = Vec::new();
    for path in paths {
        let text = &drawing.edges[path.edge].label;
        if text.is_empty() {
            continue;
        }
        let text = fitted(&one_line(text), LABEL_COLUMNS);
        let width = text.width() as f64 * COLUMN + 12.0;
        let area = |(x, y): (f64, f64)| {
            let x = x.max(width / 2.0 + MARGIN / 2.0);
            (x - width / 2.0, y - LABEL_HEIGHT / 2.0, x + width / 2.0, y + LABEL_HEIGHT / 2.0)
        };
        let covering = |place: (f64, f64)| {
            let own = area(place);
            areas.iter().chain(&nodes).find(|other| overlap(own, **other))
        };
        let Some(mut best) = path.places.first().copied() else { continue };
        if areas.len() < MAX_LABELS {
            if let Some(free) = path.places.iter().find(|place| covering(**place).is_none()) {
                best = *free;
            }
            // Right of everything that is in its way.
            while let Some((_, _, right, _)) = covering(best) {
                best.0 = right + width / 2.0 + MARGIN / 2.0;
            }
        }
        let own = area(best);
        areas.push(own);
        labels.push(Label { edge: path.edge, text, x: (own.0 + own.2) / 2.0, y: best.1, width });
    }
    labels
}

fn overlap(a: Area, b: Area) -> bool {
    a.0 < b.2 && b.0 < a.2 && a.1 < b.3 && b.1 < a.3
}

#[cfg(test)]
mod tests {
    use super::super::layout::layout;
    use super::super::{DrawnEdge, DrawnNode, NodeClass, NodeShape, edges};
    use super::*;

    #[test]
    fn labels_cover_no_node_and_no_other_label() {
        let class = NodeClass { name: "pending", fill: "#fff" };
        let label = || "n".into();
        let node = DrawnNode {
            label: label(),
            note: label(),
            suffix: label(),
            shape: NodeShape::Box,
            class,
            is_marked: false,
        };
        // Every node leads to every other one, some twice, each with a label of its own length.
        let ends = (0..6).flat_map(|from| (0..6).map(move |to| (from, to))).chain([(0, 1), (0, 1), (4, 2)]);
        let edge = |(number, (from, to))| {
            let label = "retries exhausted, score >= 7, failure".chars().take(1 + number % 38).collect::<String>();
            DrawnEdge { from, to, label: label.into(), ..DrawnEdge::default() }
        };
        let drawing =
            Drawing { nodes: vec![node; 6], edges: ends.enumerate().map(edge).collect(), ..Drawing::default() };
        let layout = layout(&drawing);
        let labels = place(&drawing, &layout, &edges::paths(&drawing, &layout));
        assert_eq!(labels.len(), drawing.edges.len());
        let mut areas: Vec<Area> = layout.corners.iter().map(|(x, y)| (*x, *y, x + WIDTH, y + HEIGHT)).collect();
        areas.extend(labels.iter().map(|label| {
            let [x, y] = [label.width, LABEL_HEIGHT].map(|size| size / 2.0);
            (label.x - x, label.y - y, label.x + x, label.y + y)
        }));
        for (at, one) in areas.iter().enumerate() {
            for other in areas.iter().skip(at + 1) {
                assert!(!overlap(*one, *other), "{one:?} {other:?}");
            }
        }
    }
}
