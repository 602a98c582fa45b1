//! The overview for a terminal and as JSON.

use super::{formatted_size, row_label};
use crate::render::dream::next_dream;
use crate::render::{counted, json};
use canonry_memory::overview::MemoryOverview;
use canonry_memory::pages::DueDecision;
use canonry_text::shortened;
use canonry_text::untrusted::as_data;
use std::fmt::Write as _;

/// Columns of the longest bar.
const BAR_WIDTH: usize = 30;

/// The document `canonry/memory-status/v1`.
pub fn overview_to_json(overview: &MemoryOverview) -> String {
    json::document_of("canonry/memory-status/v1", overview)
}

/// The overview, at most `width` columns wide.
pub fn overview_to_text(overview: &MemoryOverview, width: usize) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{} at {}", overview.folder, overview.now);
    write_files(overview, &mut text);
    for problem in overview.nights.problems() {
        let _ = writeln!(text, "\n{problem}");
    }
    let _ = writeln!(text, "\n{}", next_dream(&overview.next_dream));
    write_outdated(overview, width, &mut text);
    write_weeks(overview, &mut text);
    write_patterns(overview, width, &mut text);
    text
}

fn write_files(overview: &MemoryOverview, text: &mut String) {
    let log = &overview.log;
    let snapshots = &overview.snapshots;
    let lessons = &overview.lessons;
    let dates = match (&log.oldest, &log.newest) {
        (Some(oldest), Some(newest)) => format!(", {oldest} to {newest}"),
        _ => String::new(),
    };
    let invalid = if log.unreadable == 0 { String::new() } else { format!(", {} invalid", log.unreadable) };
    let _ = writeln!(text, "log         {}{invalid}, {}{dates}", counted(log.rows, "row"), formatted_size(log.bytes));
    let rows = counted(snapshots.rows, "row");
    let files = counted(snapshots.files, "file");
    let _ = writeln!(text, "snapshots   {rows} in {files}, {}", formatted_size(snapshots.bytes));
    let count = counted(lessons.lessons, "lesson");
    let lines = counted(lessons.lines, "line");
    let _ = writeln!(text, "lessons     {count} in {lines}, {}", formatted_size(lessons.bytes));
    if overview.quarantined > 0 {
        let _ = writeln!(text, "quarantine  {}", counted(overview.quarantined, "line"));
    }
    if overview.waiting > 0 {
        let _ = writeln!(text, "review      {}: `canonry memory review`", counted(overview.waiting, "candidate"));
    }
    for DueDecision { title, date } in &overview.due_decisions {
        let _ = writeln!(text, "revisit     the decision \"{}\", due since {date}", as_data(title));
    }
}

fn write_outdated(overview: &MemoryOverview, width: usize, text: &mut String) {
    if overview.outdated.is_empty() {
        return;
    }
    let _ = writeln!(text, "\nLessons to check again: what they are about has changed since\n  changed     lesson");
    for lesson in &overview.outdated {
        let label = format!("{}: {}", lesson.change.subject, lesson.text);
        let label = shortened(&label, width.saturating_sub(15));
        let _ = writeln!(text, "  {:10}  {label}", lesson.change.date);
    }
}

fn write_weeks(overview: &MemoryOverview, text: &mut String) {
    let most = overview.weeks.iter().map(|week| week.rows + week.archived).max().unwrap_or_default();
    if most == 0 {
        return;
    }
    let _ = writeln!(text, "\nRows by week (█ in the log, ░ in snapshots)");
    for week in &overview.weeks {
        let length = |count: usize| (count * BAR_WIDTH).div_ceil(most);
        let bar = format!("{}{}", "█".repeat(length(week.rows)), "░".repeat(length(week.archived)));
        let gap = if bar.is_empty() { "" } else { " " };
        let _ = writeln!(text, "  {}  {bar}{gap}{}", week.start, week.rows + week.archived);
    }
}

fn write_patterns(overview: &MemoryOverview, width: usize, text: &mut String) {
    if overview.patterns.is_empty() {
        return;
    }
    let all = counted(overview.patterns_in_all, "pattern");
    let threshold = overview.thresholds.promote_at;
    let _ = writeln!(text, "\n{all} by salience (a lesson from {threshold})\n  salience  rows  what");
    for pattern in &overview.patterns {
        let label = row_label(&pattern.skill, &pattern.action);
        let label = shortened(&label, width.saturating_sub(21));
        let mark = if pattern.promoted { "*" } else { " " };
        let _ = writeln!(text, "  {:>8.2}{mark} {:>4}  {label}", pattern.salience, pattern.rows);
    }
}
