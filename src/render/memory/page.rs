//! The overview as one self-contained HTML page: no script, no font, no request.

use super::{formatted_size, row_label};
use canonry_memory::outdated_lessons::OutdatedLesson;
use canonry_memory::overview::{LearnedLesson, MemoryOverview, WaitingCandidate};
use canonry_text::markup::escape_markup;
use std::fmt::Write as _;

/// The tag that identifies a page written by canonry.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"canonry memory status\">";

const STYLE: &str = include_str!("style.css");

/// The page.
pub fn page(overview: &MemoryOverview) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{GENERATOR}\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{folder}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<main>\n<h1>{folder}</h1>\n<p class=\"quiet\">as of {}</p>\n",
        escape_markup(&overview.now),
        folder = escape_markup(&overview.folder),
    );
    learned(overview, &mut html);
    waiting(overview, &mut html);
    cards(overview, &mut html);
    let next = overview.next_dream.trim_start_matches("dream cycle: ");
    let _ = writeln!(html, "<p>A dream now: <strong>{}</strong>.</p>\n<div class=\"charts\">", escape_markup(next));
    weeks(overview, &mut html);
    patterns(overview, &mut html);
    html.push_str("</div>\n</main>\n</body>\n</html>\n");
    html
}

/// Recent lessons.
fn learned(overview: &MemoryOverview, html: &mut String) {
    html.push_str("<section>\n<h2>Learned</h2>\n");
    if overview.learned.is_empty() {
        html.push_str("<p class=\"quiet\">No lesson with a date yet.</p>\n</section>\n");
        return;
    }
    html.push_str("<table>\n<thead><tr><th>since</th><th>lesson</th></tr></thead>\n<tbody>\n");
    for LearnedLesson { date, text } in &overview.learned {
        let _ = writeln!(html, "<tr><td>{}</td><td>{}</td></tr>", escape_markup(date), escape_markup(text));
    }
    html.push_str("</tbody>\n</table>\n");
    if !overview.outdated.is_empty() {
        html.push_str("<p class=\"key\">To check again, because what they are about has changed since:</p>\n<ul>\n");
        for OutdatedLesson { text, change } in &overview.outdated {
            let [text, subject, changed] = [text, &change.subject, &change.date].map(|part| escape_markup(part));
            let _ = writeln!(html, "<li>{text} ({subject}, {changed})</li>");
        }
        html.push_str("</ul>\n");
    }
    html.push_str("</section>\n");
}

/// Decisions that wait for a person.
fn waiting(overview: &MemoryOverview, html: &mut String) {
    html.push_str("<section>\n<h2>Waiting for review</h2>\n");
    if overview.candidates.is_empty() {
        html.push_str("<p class=\"quiet\">No candidate waits for a decision.</p>\n</section>\n");
        return;
    }
    html.push_str(
        "<p class=\"key\">Decide with <code>canonry memory review</code>.</p>\n<table>\n<thead><tr><th>kind</th>\
         <th>episodes</th><th>candidate</th></tr></thead>\n<tbody>\n",
    );
    for candidate in &overview.candidates {
        let WaitingCandidate { candidate: name, kind, text, episodes, .. } = candidate;
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td class=\"number\">{episodes}</td><td>{} <code>{}</code>",
            kind.name(),
            escape_markup(text),
            escape_markup(name)
        );
        evidence(candidate, html);
        html.push_str("</td></tr>\n");
    }
    html.push_str("</tbody>\n</table>\n</section>\n");
}

/// The rows that a candidate comes from, and what it resembles or opposes.
fn evidence(candidate: &WaitingCandidate, html: &mut String) {
    let rows = candidate.evidence.iter().map(ToString::to_string);
    let like = candidate.like.iter().map(|like| format!("looks like the lesson: {like}"));
    let near = candidate.near_opposites.iter().map(|opposite| format!("nearly opposite to {opposite}"));
    let opposed = candidate.opposed_to.iter().map(|opposed| format!("contradicts {opposed}"));
    for line in rows.chain(like).chain(near).chain(opposed) {
        let _ = writeln!(html, "<div class=\"quiet\">{}</div>", escape_markup(&line));
    }
}

fn cards(overview: &MemoryOverview, html: &mut String) {
    let log = &overview.log;
    let snapshots = &overview.snapshots;
    let lessons = &overview.lessons;
    let dates = match (&log.oldest, &log.newest) {
        (Some(oldest), Some(newest)) => format!("{oldest} to {newest}, "),
        _ => String::new(),
    };
    let invalid = overview.quarantined + log.unreadable;
    let cards = [
        (log.rows, "rows in the log", format!("{dates}{}", formatted_size(log.bytes))),
        (
            snapshots.rows,
            "rows in snapshots",
            format!("{} files, {}", snapshots.files, formatted_size(snapshots.bytes)),
        ),
        (lessons.lessons, "lessons", format!("{} lines, {}", lessons.lines, formatted_size(lessons.bytes))),
        (overview.waiting, "candidates to review", "canonry memory review".to_owned()),
        (invalid, "invalid lines", format!("{} of them still in the log", log.unreadable)),
    ];
    html.push_str("<dl class=\"cards\">\n");
    for (figure, what, more) in cards {
        let more = escape_markup(&more);
        let _ = writeln!(html, "<div><dt>{what}</dt><dd>{figure}</dd><dd class=\"quiet\">{more}</dd></div>");
    }
    html.push_str("</dl>\n");
}

fn weeks(overview: &MemoryOverview, html: &mut String) {
    let most = overview.weeks.iter().map(|week| week.rows + week.archived).max().unwrap_or_default().max(1);
    html.push_str(
        "<section>\n<h2>Rows by week</h2>\n<table>\n<thead><tr><th>week</th><th>rows</th><th>in the log</th>\
         <th>in snapshots</th></tr></thead>\n<tbody>\n",
    );
    for week in &overview.weeks {
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
            escape_markup(&week.start),
            meter((week.rows + week.archived) as f64, most as f64),
            week.rows,
            week.archived
        );
    }
    html.push_str("</tbody>\n</table>\n</section>\n");
}

fn patterns(overview: &MemoryOverview, html: &mut String) {
    html.push_str("<section>\n<h2>Patterns by salience</h2>\n");
    let Some(highest) = overview.patterns.first().map(|pattern| pattern.salience) else {
        html.push_str("<p class=\"quiet\">No pattern recurs in the log.</p>\n</section>\n");
        return;
    };
    let _ = writeln!(
        html,
        "<p class=\"key\">{} of {}; a lesson from {}</p>\n<table>\n<thead><tr><th>salience</th><th></th><th>rows</th>\
         <th>what</th></tr></thead>\n<tbody>",
        overview.patterns.len(),
        overview.patterns_in_all,
        overview.thresholds.promote_at
    );
    for pattern in &overview.patterns {
        let _ = writeln!(
            html,
            "<tr><td class=\"number\">{:.2}</td><td>{}</td><td class=\"number\">{}</td><td>{}</td></tr>",
            pattern.salience,
            meter(pattern.salience, highest),
            pattern.rows,
            escape_markup(&row_label(&pattern.skill, &pattern.action))
        );
    }
    html.push_str("</tbody>\n</table>\n</section>\n");
}

fn meter(value: f64, most: f64) -> String {
    format!("<meter max=\"{:.2}\" value=\"{:.2}\"></meter>", most.max(0.01), value.max(0.0))
}
