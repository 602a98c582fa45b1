//! The overview as one HTML page.

use super::{formatted_size, row_label};
use crate::render::counted;
use crate::render::dream::next_dream;
use crate::render::page::{HtmlPage, text};
use canonry_memory::outdated_lessons::OutdatedLesson;
use canonry_memory::overview::{LearnedLesson, MemoryOverview, WaitingCandidate};
use canonry_memory::pages::DueDecision;

/// Marks a page that canonry may replace.
pub const GENERATOR: &str = "<meta name=\"generator\" content=\"canonry memory status\">";

/// The page.
pub fn page(overview: &MemoryOverview) -> String {
    let mut page = HtmlPage::new(&format!("Memory: {}", overview.folder), GENERATOR);
    page.line(format_args!(
        "<h1>Memory</h1>\n<p class=\"quiet\"><code>{}</code> at {}</p>",
        text(&overview.folder),
        text(&overview.now)
    ));
    for problem in overview.nights.problems() {
        page.line(format_args!("<p class=\"failure\">{}</p>", text(&problem)));
    }
    learned(overview, &mut page);
    waiting(overview, &mut page);
    cards(overview, &mut page);
    let next = next_dream(&overview.next_dream);
    page.line(format_args!("<p>{}</p>\n<div class=\"charts\">", text(&next)));
    page.section("weeks", |page| weeks(overview, page));
    page.section("patterns", |page| patterns(overview, page));
    page.line(format_args!("</div>"));
    page.finish()
}

/// Recent lessons.
fn learned(overview: &MemoryOverview, page: &mut HtmlPage) {
    page.line(format_args!("<h2>Learned</h2>"));
    if overview.learned.is_empty() {
        page.line(format_args!("<p class=\"quiet\">No lesson has a date yet.</p>"));
        return;
    }
    let row = |LearnedLesson { date, text: lesson }: &LearnedLesson| {
        format!("<td class=\"nowrap\">{}</td><td>{}</td>", text(date), text(lesson))
    };
    page.table(&["since", "lesson"], overview.learned.iter().map(row));
    if !overview.outdated.is_empty() {
        page.line(format_args!(
            "<p class=\"quiet\">The subject of these lessons has changed since; check them again:</p>"
        ));
        page.list(overview.outdated.iter().map(|OutdatedLesson { text: lesson, change }| {
            format!("{} ({}, {})", text(lesson), text(&change.subject), text(&change.date))
        }));
    }
}

/// Decisions that wait for a person.
fn waiting(overview: &MemoryOverview, page: &mut HtmlPage) {
    page.line(format_args!("<h2>Waiting for review</h2>"));
    page.list(overview.due_decisions.iter().map(|DueDecision { title, date }| {
        format!("Revisit the decision “{}”, due since {}", text(title), text(date))
    }));
    if overview.candidates.is_empty() {
        page.line(format_args!("<p class=\"quiet\">No candidate waits for a decision.</p>"));
        return;
    }
    page.line(format_args!("<p class=\"quiet\">Decide with <code>canonry memory review</code>.</p>"));
    let row = |candidate: &WaitingCandidate| {
        format!(
            "<td class=\"nowrap\">{}</td><td>{}</td><td>{} <code class=\"quiet\">{}</code>{}</td>",
            candidate.kind.name(),
            candidate.episodes,
            text(&candidate.text),
            text(&candidate.candidate),
            evidence(candidate)
        )
    };
    page.table(&["kind", "episodes", "candidate"], overview.candidates.iter().map(row));
}

/// The rows that a candidate comes from, and what it resembles or opposes.
fn evidence(candidate: &WaitingCandidate) -> String {
    let rows = candidate.evidence.iter().map(ToString::to_string);
    let like = candidate.like.iter().map(|like| format!("looks like the lesson: {like}"));
    let near = candidate.near_opposites.iter().map(|opposite| format!("nearly opposite to {opposite}"));
    let opposed = candidate.opposed_to.iter().map(|opposed| format!("contradicts {opposed}"));
    let lines = rows.chain(like).chain(near).chain(opposed);
    lines.map(|line| format!("\n<div class=\"quiet\">{}</div>", text(&line))).collect()
}

fn cards(overview: &MemoryOverview, page: &mut HtmlPage) {
    let log = &overview.log;
    let snapshots = &overview.snapshots;
    let lessons = &overview.lessons;
    let dates = match (&log.oldest, &log.newest) {
        (Some(oldest), Some(newest)) => format!("{oldest} to {newest}, "),
        _ => String::new(),
    };
    let files = counted(snapshots.files, "file");
    let lines = counted(lessons.lines, "line");
    let cards = [
        (log.rows, "row", " in the log", dates + &formatted_size(log.bytes)),
        (snapshots.rows, "row", " in snapshots", format!("{files}, {}", formatted_size(snapshots.bytes))),
        (lessons.lessons, "lesson", "", format!("{lines}, {}", formatted_size(lessons.bytes))),
        (overview.waiting, "candidate", " to review", String::new()),
        (log.unreadable, "invalid line", " in the log", String::new()),
        (overview.quarantined, "line", " in quarantine", String::new()),
    ];
    page.line(format_args!("<dl class=\"cards\">"));
    for (figure, noun, place, more) in cards {
        let plural = if figure == 1 { "" } else { "s" };
        page.line(format_args!(
            "<div><dt>{noun}{plural}{place}</dt><dd>{figure}</dd><dd class=\"quiet\">{}</dd></div>",
            text(&more)
        ));
    }
    page.line(format_args!("</dl>"));
}

fn weeks(overview: &MemoryOverview, page: &mut HtmlPage) {
    let most = overview.weeks.iter().map(|week| week.rows + week.archived).max().unwrap_or_default().max(1);
    page.line(format_args!("<h2>Rows by week</h2>"));
    let rows = overview.weeks.iter().map(|week| {
        format!(
            "<td class=\"nowrap\">{}</td><td>{}</td><td class=\"nowrap\">{}</td><td class=\"nowrap\">{}</td>",
            text(&week.start),
            meter((week.rows + week.archived) as f64, most as f64),
            week.rows,
            week.archived
        )
    });
    page.table(&["week", "", "log", "snapshots"], rows);
}

fn patterns(overview: &MemoryOverview, page: &mut HtmlPage) {
    page.line(format_args!("<h2>Patterns by salience</h2>"));
    let Some(highest) = overview.patterns.first().map(|pattern| pattern.salience) else {
        page.line(format_args!("<p class=\"quiet\">No pattern recurs in the log.</p>"));
        return;
    };
    page.line(format_args!(
        "<p class=\"quiet\">{} of {}. A pattern becomes a lesson from {} on.</p>",
        overview.patterns.len(),
        counted(overview.patterns_in_all, "pattern"),
        overview.thresholds.promote_at
    ));
    let rows = overview.patterns.iter().map(|pattern| {
        format!(
            "<td class=\"nowrap\">{:.2}</td><td>{}</td><td class=\"nowrap\">{}</td><td>{}</td>",
            pattern.salience,
            meter(pattern.salience, highest),
            pattern.rows,
            text(&row_label(&pattern.skill, &pattern.action))
        )
    });
    page.table(&["salience", "", "rows", "pattern"], rows);
}

fn meter(value: f64, most: f64) -> String {
    format!("<meter max=\"{:.2}\" value=\"{:.2}\"></meter>", most.max(0.01), value.max(0.0))
}
