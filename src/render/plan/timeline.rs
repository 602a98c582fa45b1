//! The attempts at the steps of a plan over time, as SVG.

use super::one_line;
use super::svg::fitted;
use crate::app::plan::report::{CombinedAttempt, CombinedReport};
use crate::syntax::markup::escape_markup;
use std::fmt::Write as _;

const LABEL: f64 = 190.0;
const AXIS: f64 = 560.0;
const ROW: f64 = 26.0;
const MARGIN: f64 = 14.0;

/// A row per step with a mark per attempt; `None` if no attempt has a timestamp. The mark is a circle for a success, a square
/// for a failure, and a diamond otherwise.
pub fn timeline(report: &CombinedReport) -> Option<String> {
    let seconds = |attempt: &CombinedAttempt| attempt.timestamp.map(|time| time.to_jiff().as_second());
    let times = || report.attempts.iter().filter_map(seconds);
    let (first, last) = (times().min()?, times().max()?);
    let x = |second: i64| {
        let share = if last > first { (second - first) as f64 / (last - first) as f64 } else { 0.5 };
        LABEL + MARGIN + share * (AXIS - 2.0 * MARGIN)
    };
    let has_times = |range: std::ops::Range<usize>| {
        report.attempts.get(range).unwrap_or_default().iter().any(|attempt| attempt.timestamp.is_some())
    };
    let steps: Vec<_> = report.steps.iter().filter(|step| has_times(step.attempts.clone())).collect();
    let (width, height) = (LABEL + AXIS, ROW * (steps.len() + 1) as f64);
    let mut svg = format!(
        "<svg class=\"timeline\" role=\"img\" aria-label=\"Attempts over time\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 \
         {width} {height}\" font-family=\"system-ui, sans-serif\" font-size=\"12\">\n<title>Attempts over time</title>\n"
    );
    for (row, step) in steps.iter().enumerate() {
        let y = ROW * row as f64 + ROW / 2.0;
        let _ = writeln!(
            svg,
            "<text x=\"0\" y=\"{:.1}\">{}</text><line x1=\"{LABEL}\" y1=\"{y}\" x2=\"{width}\" y2=\"{y}\"/>",
            y + 4.0,
            escape_markup(&fitted(&one_line(&step.id), 26))
        );
        for attempt in report.attempts.get(step.attempts.clone()).unwrap_or_default() {
            if let Some(second) = seconds(attempt) {
                mark(attempt, x(second), y, &mut svg);
            }
        }
    }
    let y = ROW * steps.len() as f64 + 16.0;
    let label =
        |second: i64| crate::app::Timestamp::from(jiff::Timestamp::from_second(second).unwrap_or_default()).to_string();
    let _ = writeln!(svg, "<text x=\"{LABEL}\" y=\"{y:.1}\">{}</text>", label(first));
    if last > first {
        let _ = writeln!(svg, "<text x=\"{width}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>", label(last));
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

fn mark(attempt: &CombinedAttempt, x: f64, y: f64, svg: &mut String) {
    let class = class(attempt);
    let shape = match class {
        "success" => format!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y}\" r=\"6\">"),
        "failure" => {
            format!("<rect class=\"{class}\" x=\"{:.1}\" y=\"{}\" width=\"11\" height=\"11\">", x - 5.5, y - 5.5)
        }
        _ => format!(
            "<path class=\"{class}\" d=\"M{x:.1} {} L{:.1} {y} L{x:.1} {} L{:.1} {y} z\">",
            y - 7.0,
            x + 7.0,
            y + 7.0,
            x - 7.0
        ),
    };
    let end = if shape.starts_with("<circle") {
        "circle"
    } else if shape.starts_with("<rect") {
        "rect"
    } else {
        "path"
    };
    let time = attempt.timestamp.map(|time| time.to_string()).unwrap_or_default();
    let _ =
        writeln!(svg, "{shape}<title>attempt {}: {}, {time}</title></{end}>", attempt.number, attempt.outcome_word());
}

/// The class of an attempt's outcome in the style sheet.
pub(super) fn class(attempt: &CombinedAttempt) -> &'static str {
    match attempt.outcome_word() {
        "invalid report" => "invalid",
        word => word,
    }
}
