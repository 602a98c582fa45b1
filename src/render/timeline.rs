//! Events over time, as SVG in a page: a row per step, with a mark or a bar per attempt.

use super::drawing::columns::fitted;
use canonry_text::markup::escape_markup;
use canonry_text::printable::one_line;
use std::fmt::Write as _;

const LABEL: f64 = 190.0;
const AXIS: f64 = 560.0;
const ROW: f64 = 26.0;
const MARGIN: f64 = 14.0;
const BAR: f64 = 14.0;

/// A row.
#[derive(Clone, Debug, Default)]
pub struct TimelineRow {
    pub label: String,
    pub marks: Vec<TimelineMark>,
}

/// Something that happened at a time, or over a time.
#[derive(Clone, Debug)]
pub struct TimelineMark {
    /// Its class in the style sheet.
    pub class: &'static str,
    /// Seconds since 1970.
    pub start: f64,
    /// The end of a bar; `None` for a mark.
    pub end: Option<f64>,
    pub title: String,
}

/// The rows that have a mark, `None` if none has. A mark is a circle for a success, a square for a failure, and a diamond
/// otherwise.
pub fn timeline(title: &str, rows: &[TimelineRow]) -> Option<String> {
    let marks = || rows.iter().flat_map(|row| &row.marks);
    let first = marks().map(|mark| mark.start).reduce(f64::min)?;
    let last = marks().map(|mark| mark.end.unwrap_or(mark.start)).reduce(f64::max)?;
    let x = |second: f64| {
        let share = if last > first { (second - first) / (last - first) } else { 0.5 };
        LABEL + MARGIN + share * (AXIS - 2.0 * MARGIN)
    };
    let shown: Vec<_> = rows.iter().filter(|row| !row.marks.is_empty()).collect();
    let width = LABEL + AXIS;
    let height = ROW * (shown.len() + 1) as f64;
    let title = escape_markup(&one_line(title));
    let mut svg = format!(
        "<svg class=\"timeline\" role=\"img\" aria-label=\"{title}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 \
         {width} {height}\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<title>{title}</title>\n"
    );
    for (number, row) in shown.iter().enumerate() {
        let y = ROW * number as f64 + ROW / 2.0;
        let _ = writeln!(
            svg,
            "<text x=\"0\" y=\"{:.1}\">{}</text><line x1=\"{LABEL}\" y1=\"{y}\" x2=\"{width}\" y2=\"{y}\"/>",
            y + 4.0,
            escape_markup(&fitted(&one_line(&row.label), 26))
        );
        for mark in &row.marks {
            draw(mark, x(mark.start), mark.end.map(x), y, &mut svg);
        }
    }
    let y = ROW * shown.len() as f64 + 16.0;
    let time = |second: f64| {
        let time = jiff::Timestamp::from_second(second as i64).unwrap_or_default();
        canonry_app::Timestamp::from(time).to_string()
    };
    let _ = writeln!(svg, "<text x=\"{LABEL}\" y=\"{y:.1}\">{}</text>", time(first));
    if last > first {
        let _ = writeln!(svg, "<text x=\"{width}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>", time(last));
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

fn draw(mark: &TimelineMark, x: f64, end: Option<f64>, y: f64, svg: &mut String) {
    let class = mark.class;
    let (shape, end) = match (end, class) {
        (Some(end), _) => {
            let top = y - BAR / 2.0;
            let width = (end - x).max(4.0);
            let bar = format!(
                "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{BAR}\" rx=\"3\">"
            );
            (bar, "rect")
        }
        (None, "success") => (format!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y}\" r=\"6\">"), "circle"),
        (None, "failure") => {
            let square =
                format!("<rect class=\"{class}\" x=\"{:.1}\" y=\"{}\" width=\"11\" height=\"11\">", x - 5.5, y - 5.5);
            (square, "rect")
        }
        (None, _) => {
            let top = y - 7.0;
            let right = x + 7.0;
            let bottom = y + 7.0;
            let left = x - 7.0;
            let diamond = format!(
                "<path class=\"{class}\" d=\"M{x:.1} {top} L{right:.1} {y} L{x:.1} {bottom} L{left:.1} {y} z\">"
            );
            (diamond, "path")
        }
    };
    let _ = writeln!(svg, "{shape}<title>{}</title></{end}>", escape_markup(&one_line(&mark.title)));
}
