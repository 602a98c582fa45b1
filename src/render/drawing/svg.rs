//! A drawing as SVG. It needs no scripts, fonts or other files.

use super::columns::fitted;
use super::labels::{LABEL_HEIGHT, place};
use super::layout::{DrawingLayout, HEIGHT, MARGIN, WIDTH, layout};
use super::{Drawing, DrawnNode, MARKED, NodeShape, edges};
use canonry_text::markup::escape_markup;
use canonry_text::printable::one_line;
use std::fmt::Write as _;

/// Columns of a label that fit into a node; wide characters take two.
const LABEL_COLUMNS: usize = 23;
const NOTE_COLUMNS: usize = 28;
/// A page that is narrower than a drawing scales it down to this share, in which names of nodes are 9 px high; then it scrolls.
const MIN_SCALE: f64 = 0.7;
const EDGE: &str = "#6b7280";

/// Whether a drawing is a file of its own, which needs a namespace, or part of an HTML page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvgPlace {
    File,
    Page,
}

/// Draws the nodes in rows. Edges lead down; those that close a cycle lead up beside the rows.
pub fn to_svg(drawing: &Drawing<'_>, place_of: SvgPlace) -> String {
    let layout = layout(drawing);
    let paths = edges::paths(drawing, &layout);
    let labels = place(drawing, &layout, &paths);
    let rights = paths.iter().map(|path| path.right + MARGIN);
    let rights = rights.chain(labels.iter().map(|label| label.x + label.width / 2.0 + MARGIN));
    let width = rights.fold(layout.width, f64::max).ceil();
    let below = edges_below(drawing, &layout);
    let height = layout.height + below;
    let attribute = match place_of {
        SvgPlace::File => " xmlns=\"http://www.w3.org/2000/svg\"".to_owned(),
        SvgPlace::Page => format!(" style=\"min-width:{:.0}px\"", width * MIN_SCALE),
    };
    let title = escape_markup(&one_line(&drawing.title));
    let mut svg = format!(
        "<svg{attribute} role=\"img\" aria-label=\"{title}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\">\n<title>{title}</title>\n<defs>{}{}</defs>\n<g fill=\"none\" \
         stroke=\"{EDGE}\" stroke-width=\"1.25\">\n",
        marker("arrow", EDGE),
        if drawing.edges.iter().any(|edge| edge.is_marked) { marker("marked-arrow", MARKED) } else { String::new() },
    );
    for is_marked in [false, true] {
        for path in paths.iter().filter(|path| drawing.edges[path.edge].is_marked == is_marked) {
            let dashes = if drawing.edges[path.edge].is_dashed { " stroke-dasharray=\"5 4\"" } else { "" };
            let (look, arrow) = if is_marked {
                (format!(" stroke=\"{MARKED}\" stroke-width=\"2\""), "marked-arrow")
            } else {
                (String::new(), "arrow")
            };
            let _ = writeln!(svg, "<path d=\"{}\"{look}{dashes} marker-end=\"url(#{arrow})\"/>", path.data);
        }
    }
    svg.push_str("</g>\n");
    for (at, node) in drawing.nodes.iter().enumerate() {
        draw_node(layout.corners[at], node, &mut svg);
    }
    for label in &labels {
        let full = escape_markup(&one_line(&drawing.edges[label.edge].label));
        let _ = writeln!(
            svg,
            "<g class=\"edge\"><title>{full}</title><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{LABEL_HEIGHT}\" rx=\"8\" \
             fill=\"#f3f4f6\" stroke=\"#d1d5db\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#374151\" \
             font-size=\"10.5\">{}</text></g>",
            label.x - label.width / 2.0,
            label.y - LABEL_HEIGHT / 2.0,
            label.width,
            label.x,
            label.y + 3.7,
            escape_markup(&label.text),
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// The room below the last row for edges that leave it downwards.
fn edges_below(drawing: &Drawing<'_>, layout: &DrawingLayout) -> f64 {
    let last = layout.rows.iter().max();
    let leaves = |(at, edge): (usize, &super::DrawnEdge<'_>)| {
        layout.is_back[at]
            && layout.rows.get(edge.from) == last
            && !layout.is_last.get(edge.from).is_some_and(|last| *last)
    };
    if drawing.edges.iter().enumerate().any(leaves) { HEIGHT / 2.0 } else { 0.0 }
}

fn marker(id: &str, colour: &str) -> String {
    format!(
        "<marker id=\"{id}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" \
         markerHeight=\"9\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"{colour}\"/></marker>"
    )
}

fn draw_node((x, y): (f64, f64), node: &DrawnNode<'_>, svg: &mut String) {
    let fill = node.class.fill;
    let class = node.class.name;
    let (stroke, stroke_width) = if node.is_marked { ("#b91c1c", 3.0) } else { ("#374151", 1.0) };
    let look = format!("fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"{stroke_width}\"");
    let boxed = |rx: f64| format!("<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"{rx}\" {look}");
    let outline = match node.shape {
        NodeShape::Box => boxed(6.0) + "/>",
        NodeShape::Part => boxed(6.0) + " stroke-dasharray=\"3 3\"/>",
        NodeShape::Pill => boxed(HEIGHT / 2.0) + "/>",
        NodeShape::Hexagon => {
            let right = x + WIDTH;
            let bottom = y + HEIGHT;
            let middle = y + HEIGHT / 2.0;
            let slant = 12.0;
            format!(
                "<polygon points=\"{x},{middle} {},{y} {},{y} {right},{middle} {},{bottom} {},{bottom}\" {look}/>",
                x + slant,
                right - slant,
                right - slant,
                x + slant
            )
        }
    };
    let inset = if node.shape == NodeShape::Box || node.shape == NodeShape::Part { 10.0 } else { 20.0 };
    let narrower = if inset > 10.0 { 2 } else { 0 };
    let _ = writeln!(
        svg,
        "<g class=\"{class}\"><title>{}</title>{outline}<text x=\"{tx}\" y=\"{}\" fill=\"#000000\" font-weight=\"600\">{}</text><text \
         x=\"{tx}\" y=\"{}\" fill=\"#1f2937\" font-size=\"11\">{}</text></g>",
        escape_markup(&format!("{} ({class})", fitted(&one_line(&node.label), 200))),
        if node.note.is_empty() { y + 26.0 } else { y + 19.0 },
        escape_markup(&fitted(&one_line(&node.label), LABEL_COLUMNS - narrower)),
        y + 35.0,
        escape_markup(&fitted(&one_line(&node.note), NOTE_COLUMNS - narrower)),
        tx = x + inset,
    );
}

#[cfg(test)]
mod tests {
    use super::super::{DrawnEdge, NodeClass};
    use super::*;

    fn node(label: &str) -> DrawnNode<'_> {
        let class = NodeClass { name: "pending", fill: "#e5e7eb" };
        DrawnNode {
            label: label.into(),
            note: "pending · O".into(),
            suffix: "".into(),
            shape: NodeShape::Box,
            class,
            is_marked: false,
        }
    }

    fn edge(from: usize, to: usize) -> DrawnEdge<'static> {
        DrawnEdge { from, to, ..DrawnEdge::default() }
    }

    #[test]
    fn texts_are_escaped_and_bounded() {
        let id = format!("</text><script>&\"'{}", "x".repeat(500));
        let wide = "日".repeat(50);
        let label = DrawnEdge { label: id.as_str().into(), is_dashed: true, is_marked: true, ..edge(1, 0) };
        let drawing = Drawing {
            title: "<b>".into(),
            nodes: vec![node(&id), node(&wide)],
            edges: vec![edge(0, 1), edge(0, 1), edge(9, 1), label],
            ..Drawing::default()
        };
        let svg = to_svg(&drawing, SvgPlace::File);
        assert!(!svg.contains("<script") && !svg.contains("<b>"), "{svg}");
        let labels = svg.split("font-weight=\"600\">").skip(1).map(|rest| rest.split('<').next().unwrap());
        assert_eq!(labels.last().unwrap(), format!("{}…", "日".repeat(10)));
        assert!(svg.len() < 6000, "{}", svg.len());
    }

    #[test]
    fn ten_thousand_steps_are_drawn() {
        let edges = (0..10_000_usize).flat_map(|at| (at.saturating_sub(3)..at).map(move |dep| edge(dep, at)));
        let drawing = Drawing { nodes: vec![node("s"); 10_000], edges: edges.collect(), ..Drawing::default() };
        let svg = to_svg(&drawing, SvgPlace::Page);
        assert_eq!(svg.matches("<rect").count(), 10_000);
    }

    #[test]
    fn an_empty_graph_is_an_empty_drawing() {
        assert!(to_svg(&Drawing::default(), SvgPlace::Page).ends_with("</svg>\n"));
    }
}
