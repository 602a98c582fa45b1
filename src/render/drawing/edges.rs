//! The ways of edges: down through the rows, or up beside them.

use super::Drawing;
use super::layout::{DrawingLayout, HEIGHT, WIDTH};
use std::collections::HashMap;
use std::fmt::Write as _;

/// The distance of edges that lead up beside the rows.
const LANE: f64 = 30.0;

/// The way of an edge.
#[derive(Debug)]
pub(super) struct EdgePath {
    /// The index of the edge.
    pub edge: usize,
    /// The path data of SVG.
    pub data: String,
    /// Where a label may be, best first.
    pub places: Vec<(f64, f64)>,
    /// The right end.
    pub right: f64,
}

/// The ways of all edges between nodes that exist.
pub(super) fn paths(drawing: &Drawing<'_>, layout: &DrawingLayout) -> Vec<EdgePath> {
    let count = drawing.nodes.len();
    let known: Vec<usize> = (0..drawing.edges.len())
        .filter(|at| drawing.edges[*at].from < count && drawing.edges[*at].to < count)
        .collect();
    let (back, forward): (Vec<usize>, Vec<usize>) = known.into_iter().partition(|at| layout.is_back[*at]);
    let ports = ports(drawing, layout, &forward);
    let mut paths: Vec<EdgePath> = forward.iter().map(|at| down(drawing, layout, *at, ports[at])).collect();
    paths.extend(up(drawing, layout, &back));
    paths
}

/// Where each edge leaves its first node and enters its second: side by side, in the order of their other ends.
fn ports(drawing: &Drawing<'_>, layout: &DrawingLayout, forward: &[usize]) -> HashMap<usize, (f64, f64)> {
    let middle = |node: usize| layout.corners[node].0 + WIDTH / 2.0;
    let mut ports: HashMap<usize, (f64, f64)> =
        forward.iter().map(|at| (*at, (middle(drawing.edges[*at].from), middle(drawing.edges[*at].to)))).collect();
    for is_start in [true, false] {
        let mut groups: HashMap<usize, Vec<(f64, usize)>> = HashMap::new();
        for at in forward {
            let edge = &drawing.edges[*at];
            let bends = &layout.bends[*at];
            let (node, other) = if is_start {
                (edge.from, bends.first().map_or_else(|| middle(edge.to), |bend| bend.0))
            } else {
                (edge.to, bends.last().map_or_else(|| middle(edge.from), |bend| bend.0))
            };
            groups.entry(node).or_default().push((other, *at));
        }
        for (node, mut group) in groups {
            group.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let step = ((WIDTH - 40.0) / group.len() as f64).min(36.0);
            let start = middle(node) - step * (group.len() - 1) as f64 / 2.0;
            for (slot, (_, at)) in group.into_iter().enumerate() {
                let x = (start + step * slot as f64).round();
                ports.entry(at).and_modify(|port| if is_start { port.0 = x } else { port.1 = x });
            }
        }
    }
    ports
}

fn down(drawing: &Drawing<'_>, layout: &DrawingLayout, at: usize, (start, end): (f64, f64)) -> EdgePath {
    let edge = &drawing.edges[at];
    let mut x = start;
    let mut y = layout.corners[edge.from].1 + HEIGHT;
    let mut data = format!("M{x} {y}");
    let mut places = Vec::new();
    let ends = layout.bends[at].iter().copied().chain([(end, layout.corners[edge.to].1)]);
    for (to_x, to_y) in ends {
        let middle = (y + to_y) / 2.0;
        let _ = write!(data, " C{x} {middle} {to_x} {middle} {to_x} {to_y}");
        for share in [0.5, 0.38, 0.62, 0.26, 0.74, 0.14, 0.86] {
            places.push((bezier(x, x, to_x, to_x, share), bezier(y, middle, middle, to_y, share)));
        }
        (x, y) = (to_x, to_y);
        // Bends pass the row straight.
        if y < layout.corners[edge.to].1 {
            y += HEIGHT;
            let _ = write!(data, " L{x} {y}");
            places.push((x, y - HEIGHT / 2.0));
        }
    }
    let right = places.iter().fold(x, |right, place| right.max(place.0));
    EdgePath { edge: at, data, places, right }
}

fn bezier(a: f64, b: f64, c: f64, d: f64, share: f64) -> f64 {
    let rest = 1.0 - share;
    rest.powi(3) * a + 3.0 * rest.powi(2) * share * b + 3.0 * rest * share.powi(2) * c + share.powi(3) * d
}

/// The edges that lead up, each in a lane of its own to the right of the rows that it passes. The shortest is the innermost.
fn up(drawing: &Drawing<'_>, layout: &DrawingLayout, back: &[usize]) -> Vec<EdgePath> {
    let rows = |at: usize| (layout.rows[drawing.edges[at].to], layout.rows[drawing.edges[at].from]);
    let mut order = back.to_vec();
    order.sort_by_key(|at| (rows(*at).1.saturating_sub(rows(*at).0), *at));
    let mut taken: Vec<(usize, usize, f64)> = Vec::new();
    let mut sides: HashMap<usize, u32> = HashMap::new();
    let mut paths = Vec::new();
    for at in order {
        let edge = &drawing.edges[at];
        let (first, last) = rows(at);
        let mut x = layout.ends.get(first..=last).unwrap_or_default().iter().fold(0.0, |a: f64, b| a.max(*b)) + 24.0;
        let crosses =
            |x: f64| taken.iter().any(|(from, to, lane)| *from <= last && first <= *to && (lane - x).abs() < LANE);
        while crosses(x) {
            x += LANE;
        }
        taken.push((first, last, x));
        let mut side = |node: usize| {
            let number = sides.entry(node).or_insert(0);
            *number += 1;
            f64::from((*number - 1) % 3) * 9.0
        };
        let (x1, y1) = layout.corners[edge.from];
        let (x2, y2) = layout.corners[edge.to];
        let mut data;
        let start;
        if layout.is_last[edge.from] {
            start = y1 + HEIGHT / 2.0 + side(edge.from);
            data = format!("M{} {start} L{} {start}", x1 + WIDTH, x - 8.0);
        } else {
            let shift = side(edge.from);
            let port = x1 + WIDTH - 14.0 - shift;
            start = y1 + HEIGHT + 10.0 + shift / 2.0;
            data = format!("M{port} {} L{port} {start} L{} {start}", y1 + HEIGHT, x - 8.0);
        }
        let _ = write!(data, " Q{x} {start} {x} {}", start - 8.0);
        let end;
        if layout.is_last[edge.to] {
            end = y2 + HEIGHT / 2.0 - side(edge.to);
            let _ = write!(data, " L{x} {} Q{x} {end} {} {end} L{} {end}", end + 8.0, x - 8.0, x2 + WIDTH);
        } else {
            let shift = side(edge.to);
            let port = x2 + WIDTH - 14.0 - shift;
            end = y2 - 16.0 - shift / 2.0;
            let _ = write!(data, " L{x} {} Q{x} {end} {} {end} L{port} {end} L{port} {y2}", end + 8.0, x - 8.0);
        }
        let place = |share: f64| (x, start + (end - start) * share);
        paths.push(EdgePath { edge: at, data, places: [0.5, 0.35, 0.65, 0.2, 0.8].map(place).to_vec(), right: x });
    }
    paths
}
