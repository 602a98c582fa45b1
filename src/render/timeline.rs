//! Events over time on a page: a row per step, with a mark or a bar per attempt.

use super::page::{HtmlPage, text};
use super::time_text;
use canonry_app::Timestamp;
use canonry_runs::numbers::seconds_text;

/// A row.
#[derive(Clone, Debug, Default)]
pub struct TimelineRow {
    pub label: String,
    pub marks: Vec<TimelineMark>,
}

/// Something that happened at a time, or over a time.
#[derive(Clone, Debug)]
pub struct TimelineMark {
    /// Its class in the style sheet, which gives it a colour, and a shape if it has no end.
    pub class: &'static str,
    pub start: Timestamp,
    /// The end of a bar; `None` for a mark.
    pub end: Option<Timestamp>,
    pub title: String,
}

/// Adds the rows that have a mark, with the first time and the duration below them; nothing if no row has one.
pub fn draw(title: &str, rows: &[TimelineRow], page: &mut HtmlPage) {
    let marks = || rows.iter().flat_map(|row| &row.marks);
    let Some(first) = marks().map(|mark| mark.start).min() else { return };
    let last = marks().map(|mark| mark.end.unwrap_or(mark.start)).max().unwrap_or(first);
    let duration = seconds_between(first, last);
    let percent = |time: Timestamp| if duration > 0.0 { seconds_between(first, time) / duration * 100.0 } else { 0.0 };
    let title = text(title);
    page.line(format_args!("<h2>Timeline</h2>\n<div class=\"timeline\" role=\"img\" aria-label=\"{title}\">"));
    for row in rows.iter().filter(|row| !row.marks.is_empty()) {
        page.line(format_args!("<div>{}</div>\n<div class=\"track\">", text(&row.label)));
        for TimelineMark { class, start, end, title } in &row.marks {
            let left = percent(*start);
            let (kind, width) = match end {
                Some(end) => (" bar", format!(";width:{:.1}%", percent(*end) - left)),
                None => ("", String::new()),
            };
            let title = text(title);
            page.line(format_args!(
                "<span class=\"{class}{kind}\" style=\"left:{left:.1}%{width}\" title=\"{title}\"></span>"
            ));
        }
        page.line(format_args!("</div>"));
    }
    let end = if duration > 0.0 { format!("+ {}", seconds_text(duration)) } else { String::new() };
    let start = time_text(first);
    page.line(format_args!("<div></div>\n<div class=\"axis\"><span>{start}</span><span>{end}</span></div>\n</div>"));
}

/// The seconds from one time to another.
pub fn seconds_between(start: Timestamp, end: Timestamp) -> f64 {
    end.to_jiff().duration_since(start.to_jiff()).as_secs_f64()
}
