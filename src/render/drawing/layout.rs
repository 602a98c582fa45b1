//! Where the nodes of a drawing are: rows by the longest path, with room for the edges that pass a row.

use super::Drawing;
use canonry_runs::plan::layout::{layout as order, levels};

/// The size of a node and the space around it.
pub(super) const WIDTH: f64 = 190.0;
pub(super) const HEIGHT: f64 = 44.0;
const GAP: f64 = 26.0;
/// The space between rows, and the space for each label at an edge that leaves the same node.
const ROW_GAP: f64 = 40.0;
const LABEL_GAP: f64 = 20.0;
/// Labels for which a row has space. A node with more of them is not readable anyway.
const MAX_LABELS: usize = 8;
pub(super) const MARGIN: f64 = 8.0;
/// The width of an edge that passes a row, and the space beside it.
const BEND: f64 = 34.0;
/// Beyond this number of bends, edges cross nodes instead: a plan with such edges is not readable anyway.
const MAX_BENDS: usize = 10_000;

/// The layout of a drawing.
#[derive(Debug)]
pub(super) struct DrawingLayout {
    /// The left top corner of each node.
    pub corners: Vec<(f64, f64)>,
    /// The row of each node.
    pub rows: Vec<usize>,
    /// Whether a node is the last of its row.
    pub is_last: Vec<bool>,
    /// The right end of each row.
    pub ends: Vec<f64>,
    /// For each edge, whether it leads up or to its own node.
    pub is_back: Vec<bool>,
    /// For each edge, where it passes rows: the middle and the top of each row.
    pub bends: Vec<Vec<(f64, f64)>>,
    pub width: f64,
    pub height: f64,
}

/// Lays out a drawing. The edges that close a cycle are those that lead back in a depth-first search from the first node.
pub(super) fn layout(drawing: &Drawing<'_>) -> DrawingLayout {
    let count = drawing.nodes.len();
    let is_back = back_edges(drawing);
    let is_drawn = |at: usize| drawing.edges[at].from < count && drawing.edges[at].to < count;
    let mut deps: Vec<Vec<usize>> = vec![Vec::new(); count];
    for at in (0..drawing.edges.len()).filter(|at| is_drawn(*at) && !is_back[*at]) {
        deps[drawing.edges[at].to].push(drawing.edges[at].from);
    }
    let rows = levels(count, |node| deps.get(node).map_or(&[], Vec::as_slice));
    let mut bends = vec![Vec::new(); drawing.edges.len()];
    let mut total = count;
    let long = |at: usize| {
        let from = rows[drawing.edges[at].from];
        let to = rows[drawing.edges[at].to];
        to.saturating_sub(from + 1)
    };
    let forward: Vec<usize> = (0..drawing.edges.len()).filter(|at| is_drawn(*at) && !is_back[*at]).collect();
    let has_bends = forward.iter().map(|at| long(*at)).sum::<usize>() <= MAX_BENDS;
    let mut expanded = vec![Vec::new(); count];
    for at in forward {
        let mut before = drawing.edges[at].from;
        let to = drawing.edges[at].to;
        for _ in 0..if has_bends { long(at) } else { 0 } {
            expanded.push(vec![before]);
            bends[at].push(total);
            before = total;
            total += 1;
        }
        expanded[to].push(before);
    }
    let placed = order(total, |node| expanded.get(node).map_or(&[], Vec::as_slice));
    let centres = centres(&placed.rows, &expanded, count);
    let has_returns = drawing.edges.iter().zip(&is_back).any(|(edge, back)| *back && rows.get(edge.to) == Some(&0));
    let first = if has_returns { MARGIN + 30.0 } else { MARGIN };
    let mut tops = vec![first];
    for gap in row_gaps(drawing, &rows, &is_back, placed.rows.len()) {
        tops.push(tops[tops.len() - 1] + HEIGHT + gap);
    }
    let mut is_last = vec![false; count];
    let mut ends = Vec::new();
    for row in &placed.rows {
        if let Some(last) = row.last().filter(|last| **last < count) {
            is_last[*last] = true;
        }
        ends.push(row.last().map_or(0.0, |last| centres[*last] + half(*last, count)));
    }
    let width = ends.iter().fold(0.0, |widest: f64, end| widest.max(*end)) + MARGIN;
    let bottom = placed.rows.len().checked_sub(1).map_or(MARGIN, |last| tops[last] + HEIGHT);
    let bends = bends
        .into_iter()
        .map(|bends| bends.into_iter().map(|bend| (centres[bend], tops[placed.places[bend].row])).collect());
    DrawingLayout {
        corners: (0..count).map(|node| (centres[node] - WIDTH / 2.0, tops[rows[node]])).collect(),
        bends: bends.collect(),
        rows,
        is_last,
        ends,
        is_back,
        width: if count == 0 { 2.0 * MARGIN } else { width },
        height: bottom + MARGIN,
    }
}

/// The space below each row: the labels of edges that leave a node downwards have room above each other.
fn row_gaps(drawing: &Drawing<'_>, rows: &[usize], is_back: &[bool], count: usize) -> Vec<f64> {
    let mut labels = vec![0; rows.len()];
    let mut most = vec![0; count];
    for (edge, is_back) in drawing.edges.iter().zip(is_back) {
        if !is_back && !edge.label.is_empty() && edge.to < rows.len() && edge.from < rows.len() {
            let row = rows[edge.from];
            labels[edge.from] += 1;
            most[row] = labels[edge.from].max(most[row]);
        }
    }
    most.into_iter().map(|most| ROW_GAP + LABEL_GAP * most.min(MAX_LABELS) as f64).collect()
}

/// The edges that lead to a node that is open in a depth-first search. Without recursion: a plan can have any length.
fn back_edges(drawing: &Drawing<'_>) -> Vec<bool> {
    let count = drawing.nodes.len();
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, edge) in drawing.edges.iter().enumerate().filter(|(_, edge)| edge.from < count && edge.to < count) {
        out[edge.from].push(at);
    }
    let mut is_back = vec![false; drawing.edges.len()];
    // 0: not seen, 1: open, 2: done
    let mut state = vec![0_u8; count];
    for start in 0..count {
        if state[start] != 0 {
            continue;
        }
        state[start] = 1;
        let mut path = vec![(start, 0_usize)];
        while let Some((node, next)) = path.last_mut() {
            let Some(&edge) = out[*node].get(*next) else {
                state[*node] = 2;
                path.pop();
                continue;
            };
            *next += 1;
            let to = drawing.edges[edge].to;
            match state[to] {
                0 => {
                    state[to] = 1;
                    path.push((to, 0));
                }
                1 => is_back[edge] = true,
                _ => {}
            }
        }
    }
    is_back
}

fn half(node: usize, count: usize) -> f64 {
    if node < count { WIDTH / 2.0 } else { BEND / 2.0 }
}

/// The middle of each node and bend: near its neighbours in the rows above and below, in the order of its row.
fn centres(rows: &[Vec<usize>], above: &[Vec<usize>], count: usize) -> Vec<f64> {
    let mut below = vec![Vec::new(); above.len()];
    for (node, befores) in above.iter().enumerate() {
        befores.iter().for_each(|before| below[*before].push(node));
    }
    let mut centres = vec![0.0; above.len()];
    for row in rows {
        let mut x = 0.0;
        for node in row {
            centres[*node] = x + half(*node, count);
            x += 2.0 * half(*node, count) + GAP;
        }
        row.iter().for_each(|node| centres[*node] -= (x - GAP) / 2.0);
    }
    for pass in 0..6 {
        let neighbours = if pass % 2 == 0 { above } else { &below };
        let order: Vec<&Vec<usize>> = if pass % 2 == 0 { rows.iter().collect() } else { rows.iter().rev().collect() };
        for row in order {
            let wanted = |node: usize| {
                let near = &neighbours[node];
                if near.is_empty() {
                    return centres[node];
                }
                near.iter().map(|other| centres[*other]).sum::<f64>() / near.len() as f64
            };
            let placed = spread(&row.iter().map(|node| (wanted(*node), half(*node, count))).collect::<Vec<_>>());
            row.iter().zip(placed).for_each(|(node, x)| centres[*node] = x);
        }
    }
    let left = (0..above.len()).map(|node| centres[node] - half(node, count)).fold(f64::INFINITY, f64::min);
    centres.iter().map(|x| (x - left + MARGIN).round()).collect()
}

/// The positions nearest to the wanted ones, given as middle and half width, that keep order and distance: a regression by
/// pooling adjacent violators.
fn spread(wanted: &[(f64, f64)]) -> Vec<f64> {
    let mut offset = 0.0;
    let mut offsets = Vec::with_capacity(wanted.len());
    // Blocks of neighbours that touch: the sum of their wanted positions, and their number.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (at, (middle, half)) in wanted.iter().enumerate() {
        if at > 0 {
            offset += wanted[at - 1].1 + half + GAP;
        }
        offsets.push(offset);
        let mut block = (middle - offset, 1);
        while let Some((sum, length)) = blocks.last().copied() {
            if sum / length as f64 <= block.0 / block.1 as f64 {
                break;
            }
            block = (block.0 + sum, block.1 + length);
            blocks.pop();
        }
        blocks.push(block);
    }
    let means = blocks.iter().flat_map(|(sum, length)| std::iter::repeat_n(sum / *length as f64, *length));
    means.zip(offsets).map(|(mean, offset)| mean + offset).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{DrawnEdge, DrawnNode, NodeClass, NodeShape};
    use super::*;

    pub(in super::super) fn drawing(count: usize, edges: &[(usize, usize)]) -> Drawing<'static> {
        let class = NodeClass { name: "pending", fill: "#fff" };
        let node = DrawnNode {
            label: "n".into(),
            note: "".into(),
            suffix: "".into(),
            shape: NodeShape::Box,
            class,
            is_marked: false,
        };
        let edge = |(from, to): &(usize, usize)| DrawnEdge { from: *from, to: *to, ..DrawnEdge::default() };
        Drawing { nodes: vec![node; count], edges: edges.iter().map(edge).collect(), ..Drawing::default() }
    }

    #[test]
    fn an_edge_that_closes_a_cycle_leads_up() {
        let found = layout(&drawing(3, &[(0, 1), (1, 2), (2, 0), (1, 1)]));
        assert_eq!(found.rows, [0, 1, 2]);
        assert_eq!(found.is_back, [false, false, true, true]);
    }

    #[test]
    fn an_edge_over_a_row_passes_beside_its_node() {
        let found = layout(&drawing(3, &[(0, 1), (1, 2), (0, 2)]));
        let (x, y) = found.bends[2][0];
        let (left, top) = found.corners[1];
        assert!((y - top).abs() < 0.1 && (x < left || x > left + WIDTH), "{found:?}");
    }

    #[test]
    fn nodes_of_a_row_never_overlap() {
        let edges: Vec<(usize, usize)> = (1..40).map(|to| (to / 3, to)).chain((0..30).map(|at| (at, at + 9))).collect();
        let found = layout(&drawing(40, &edges));
        for a in 0..40 {
            for b in (0..40).filter(|b| *b != a && found.rows[*b] == found.rows[a]) {
                assert!((found.corners[a].0 - found.corners[b].0).abs() >= WIDTH, "{a} {b}");
            }
        }
        assert!(found.corners.iter().all(|(x, _)| *x >= 0.0 && x + WIDTH <= found.width));
    }

    #[test]
    fn unknown_nodes_are_ignored() {
        let found = layout(&drawing(1, &[(0, 9), (9, 0)]));
        assert_eq!((found.rows, found.is_back), (vec![0], vec![false, false]));
    }
}
