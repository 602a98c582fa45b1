//! The dependency graph of a plan as SVG. The drawing needs no scripts, fonts or other files.

use super::graph::colour;
use super::one_line;
use crate::app::plan::StepStatus;
use crate::app::plan::show::{Outcome, StepState};
use crate::plan::layout::{GraphLayout, layout};
use crate::syntax::markup::escape_markup;
use std::fmt::Write as _;

/// The size of a step and the space around it.
const WIDTH: usize = 190;
const HEIGHT: usize = 44;
const GAP: usize = 26;
const ROW_GAP: usize = 40;
const MARGIN: usize = 8;
/// Columns of a label that fit into a step; wide characters take two.
const ID_COLUMNS: usize = 23;
const NOTE_COLUMNS: usize = 28;

/// A step of a drawing.
#[derive(Clone, Copy, Debug)]
pub struct SvgStep<'a> {
    pub id: &'a str,
    pub owner: &'a str,
    pub status: StepStatus,
    /// The dependencies by index.
    pub deps: &'a [usize],
    /// Whether to emphasize the step.
    pub marked: bool,
}

/// Whether a drawing is a file of its own, which needs a namespace, or part of an HTML page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvgPlace {
    File,
    Page,
}

/// The steps of a plan as a file of its own.
pub fn to_svg<'a>(outcome: &'a Outcome) -> String {
    let step = |step: &'a StepState| SvgStep {
        id: &step.id,
        owner: &step.owner,
        status: step.status,
        deps: &step.deps,
        marked: false,
    };
    let steps: Vec<SvgStep<'a>> = outcome.steps.iter().map(step).collect();
    draw(&format!("Steps of {}", outcome.plan), &steps, SvgPlace::File)
}

/// Draws the steps in rows; an arrow leads from a step down to the steps that depend on it.
pub fn draw(title: &str, steps: &[SvgStep<'_>], place: SvgPlace) -> String {
    let graph = layout(steps.len(), |at| steps.get(at).map_or(&[], |step| step.deps));
    let widest = graph.rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = 2 * MARGIN + widest * (WIDTH + GAP) - if widest > 0 { GAP } else { 0 };
    let height = 2 * MARGIN + graph.rows.len() * (HEIGHT + ROW_GAP) - if widest > 0 { ROW_GAP } else { 0 };
    let namespace = if place == SvgPlace::File { " xmlns=\"http://www.w3.org/2000/svg\"" } else { "" };
    let title = escape_markup(&one_line(title));
    let mut svg = format!(
        "<svg{namespace} role=\"img\" aria-label=\"{title}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\">\n<title>{title}</title>\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
         <path d=\"M0 0 L8 4 L0 8 z\" fill=\"#6b7280\"/></marker></defs>\n<g fill=\"none\" stroke=\"#6b7280\" stroke-width=\"1.25\">\n"
    );
    let drawing = Drawing { graph: &graph, width };
    for (at, step) in steps.iter().enumerate() {
        for dep in step.deps {
            drawing.arrow(*dep, at, &mut svg);
        }
    }
    svg.push_str("</g>\n");
    for (at, step) in steps.iter().enumerate() {
        drawing.step(at, step, &mut svg);
    }
    svg.push_str("</svg>\n");
    svg
}

struct Drawing<'a> {
    graph: &'a GraphLayout,
    width: usize,
}

impl Drawing<'_> {
    /// The left top corner of a step. Rows are centred.
    fn corner(&self, at: usize) -> (usize, usize) {
        let place = self.graph.places.get(at).copied().unwrap_or_default();
        let length = self.graph.rows.get(place.row).map_or(1, Vec::len).max(1);
        let left = self.width.saturating_sub(length * (WIDTH + GAP) - GAP) / 2;
        (left + place.slot * (WIDTH + GAP), MARGIN + place.row * (HEIGHT + ROW_GAP))
    }

    fn arrow(&self, from: usize, to: usize, svg: &mut String) {
        let ((x1, y1), (x2, y2)) = (self.corner(from), self.corner(to));
        let (x1, y1, x2) = (x1 + WIDTH / 2, y1 + HEIGHT, x2 + WIDTH / 2);
        let middle = (y1 + y2) / 2;
        // An arrow over several rows makes a detour beside its column, where it would cross other steps.
        let is_long = y2 > y1 + ROW_GAP;
        let _ = match is_long && x1.abs_diff(x2) < WIDTH {
            true => {
                let beside = x1.max(x2) + WIDTH / 2 + GAP / 2;
                let (down, up) = (y1 + ROW_GAP / 2, y2.saturating_sub(ROW_GAP / 2));
                writeln!(
                    svg,
                    "<path d=\"M{x1} {y1} C{x1} {down} {beside} {y1} {beside} {down} L{beside} {up} C{beside} {y2} {x2} {up} {x2} {y2}\" marker-end=\"url(#arrow)\"/>"
                )
            }
            false => writeln!(
                svg,
                "<path d=\"M{x1} {y1} C{x1} {middle} {x2} {middle} {x2} {y2}\" marker-end=\"url(#arrow)\"/>"
            ),
        };
    }

    fn step(&self, at: usize, step: &SvgStep<'_>, svg: &mut String) {
        let (x, y) = self.corner(at);
        let status = step.status.as_str();
        let (stroke, stroke_width) = if step.marked { ("#b91c1c", 3.0) } else { ("#374151", 1.0) };
        let note = format!("{} · {}", status.replace('_', " "), one_line(step.owner));
        let _ = writeln!(
            svg,
            "<g class=\"{status}\"><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\" \
             fill=\"{}\" stroke=\"{stroke}\" stroke-width=\"{stroke_width}\"/><text x=\"{tx}\" y=\"{}\" fill=\"#000000\" \
             font-weight=\"600\">{}</text><text x=\"{tx}\" y=\"{}\" fill=\"#1f2937\" font-size=\"11\">{}</text></g>",
            escape_markup(&format!("{} ({status})", fitted(&one_line(step.id), 200))),
            colour(step.status),
            y + 19,
            escape_markup(&fitted(&one_line(step.id), ID_COLUMNS)),
            y + 35,
            escape_markup(&fitted(&note, NOTE_COLUMNS)),
            tx = x + 10,
        );
    }
}

/// A text that takes at most `columns`.
pub(super) fn fitted(text: &str, columns: usize) -> String {
    let mut used = 0;
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        used += if is_wide(c) { 2 } else { 1 };
        if used > columns {
            end = at;
            break;
        }
    }
    match text.get(..end) {
        Some(kept) if end < text.len() => {
            // Room for the ellipsis.
            let mut kept = kept.to_owned();
            kept.pop();
            format!("{}…", kept.trim_end())
        }
        _ => text.to_owned(),
    }
}

/// Whether a character takes two columns: East Asian scripts and emoji.
fn is_wide(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xfe30..=0xfe6f
        | 0xff00..=0xff60 | 0x1f300..=0x1faff | 0x20000..=0x3fffd)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step<'a>(id: &'a str, deps: &'a [usize]) -> SvgStep<'a> {
        SvgStep { id, owner: "O", status: StepStatus::Pending, deps, marked: false }
    }

    #[test]
    fn texts_are_escaped_and_bounded() {
        let id = format!("</text><script>&\"'{}", "x".repeat(500));
        let svg = draw("<b>", &[step(&id, &[]), step(&"日".repeat(50), &[0, 0, 9])], SvgPlace::File);
        assert!(!svg.contains("<script") && !svg.contains("<b>"), "{svg}");
        let labels = svg.split("font-weight=\"600\">").skip(1).map(|rest| rest.split('<').next().unwrap());
        assert_eq!(labels.last().unwrap(), format!("{}…", "日".repeat(10)));
        assert!(svg.len() < 4000, "{}", svg.len());
    }

    #[test]
    fn ten_thousand_steps_are_drawn_quickly() {
        let deps: Vec<Vec<usize>> = (0..10_000_usize).map(|at| (at.saturating_sub(3)..at).collect()).collect();
        let steps: Vec<SvgStep<'_>> = deps.iter().map(|deps| step("s", deps)).collect();
        let start = std::time::Instant::now();
        let svg = draw("t", &steps, SvgPlace::Page);
        assert!(start.elapsed().as_secs() < 2, "{:?}", start.elapsed());
        assert_eq!(svg.matches("<rect").count(), 10_000);
    }

    #[test]
    fn an_empty_plan_is_an_empty_drawing() {
        assert!(draw("t", &[], SvgPlace::Page).ends_with("</svg>\n"));
    }
}
