//! Charts as inline SVG, styled by the page's CSS.

use canonry_text::markup::escape_markup;
use canonry_text::shortened;
use std::fmt::Write as _;

/// Size of the drawing, in units of about a pixel.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 190.0;
/// Space for the labels below and the figures above.
const BELOW: f64 = 24.0;
const ABOVE: f64 = 18.0;
/// Characters of a label above a bar; wide characters count twice.
const LABEL: usize = 56;
/// Height of a bar and its label.
const ROW: f64 = 38.0;

/// A column: a label, and the stacked values from the bottom.
pub struct Column {
    pub label: String,
    pub parts: Vec<usize>,
}

/// A bar: a label and a length.
pub struct Bar {
    pub label: String,
    pub value: f64,
    pub strong: bool,
}

/// A column chart. Every other column has its label.
pub fn column_chart(title: &str, columns: &[Column]) -> String {
    let most = columns.iter().map(|column| column.parts.iter().sum()).max().unwrap_or(0usize).max(1);
    let floor = HEIGHT - BELOW;
    let scale = (floor - ABOVE) / most as f64;
    let step = WIDTH / columns.len().max(1) as f64;
    let mut svg = open(title, HEIGHT);
    let _ = write!(svg, "<line class=\"axis\" x1=\"0\" y1=\"{floor}\" x2=\"{WIDTH}\" y2=\"{floor}\"/>");
    for (at, column) in columns.iter().enumerate() {
        let left = at as f64 * step + step * 0.14;
        let middle = at as f64 * step + step / 2.0;
        let total: usize = column.parts.iter().sum();
        let _ = write!(svg, "<g><title>{}: {total}</title>", escape_markup(&column.label));
        let mut top = floor;
        for (kind, part) in column.parts.iter().enumerate().filter(|(_, part)| **part > 0) {
            let height = (*part as f64 * scale).max(1.0);
            top -= height;
            let width = step * 0.72;
            let _ = write!(
                svg,
                "<rect class=\"part{kind}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
            );
        }
        if total > 0 {
            let _ = write!(svg, "<text class=\"figure\" x=\"{middle:.1}\" y=\"{:.1}\">{total}</text>", top - 4.0);
        }
        if at % 2 == 0 {
            let label = escape_markup(&column.label);
            let _ = write!(svg, "<text class=\"tick\" x=\"{middle:.1}\" y=\"{:.1}\">{label}</text>", HEIGHT - 8.0);
        }
        svg.push_str("</g>");
    }
    svg.push_str("</svg>");
    svg
}

/// A bar chart with a line at a threshold.
pub fn bar_chart(title: &str, bars: &[Bar], threshold: f64) -> String {
    let longest = bars.iter().map(|bar| bar.value).fold(threshold, f64::max).max(f64::MIN_POSITIVE);
    // Leave space for the figure after the bar.
    let scale = (WIDTH - 48.0) / longest;
    let height = ROW * bars.len() as f64 + 18.0;
    let mut svg = open(title, height);
    for (at, bar) in bars.iter().enumerate() {
        let top = at as f64 * ROW;
        let length = (bar.value.max(0.0) * scale).max(1.0);
        let class = if bar.strong { "strong" } else { "weak" };
        let _ = write!(
            svg,
            "<g><title>{}</title><text class=\"label\" x=\"0\" y=\"{:.1}\">{}</text>\
             <rect class=\"{class}\" x=\"0\" y=\"{:.1}\" width=\"{length:.1}\" height=\"12\"/>\
             <text class=\"value\" x=\"{:.1}\" y=\"{:.1}\">{:.2}</text></g>",
            escape_markup(&bar.label),
            top + 13.0,
            escape_markup(&fitted_label(&bar.label)),
            top + 19.0,
            length + 5.0,
            top + 29.0,
            bar.value
        );
    }
    let x = threshold * scale;
    let end = ROW * bars.len() as f64;
    for at in 0..bars.len() {
        // Interrupted at the labels.
        let y1 = at as f64 * ROW + 16.0;
        let y2 = at as f64 * ROW + 34.0;
        let _ = write!(svg, "<line class=\"threshold\" x1=\"{x:.1}\" y1=\"{y1:.1}\" x2=\"{x:.1}\" y2=\"{y2:.1}\"/>");
    }
    let anchor = if x > WIDTH / 2.0 { "end" } else { "start" };
    let _ = write!(
        svg,
        "<text class=\"note\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{:.1}\">a lesson from {threshold}</text></svg>",
        end + 12.0
    );
    svg
}

/// The part of a label that fits the width of the drawing.
fn fitted_label(label: &str) -> String {
    let mut room = LABEL;
    let fits = |c: &char| {
        let width = if *c < '\u{1100}' { 1 } else { 2 };
        let fits = room >= width;
        room = room.saturating_sub(width);
        fits
    };
    let count = label.chars().take_while(fits).count();
    let mark = usize::from(count < label.chars().count());
    shortened(label, count.saturating_sub(mark)).into_owned()
}

fn open(title: &str, height: f64) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\" xmlns=\"http://www.w3.org/2000/svg\">",
        escape_markup(title)
    )
}
