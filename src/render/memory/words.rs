//! For a terminal.

use super::{about, cut, sized};
use crate::memory::overview::Overview;
use crate::render::counted;
use std::fmt::Write as _;

/// Columns of the longest bar.
const BAR: usize = 30;

/// The overview, no wider than `width`.
pub fn words(overview: &Overview, width: usize) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{} at {}", overview.folder, overview.now);
    files(overview, &mut text);
    let _ = writeln!(text, "\nA dream at this moment: {}", overview.next_dream.trim_start_matches("dream cycle: "));
    weeks(overview, &mut text);
    patterns(overview, width, &mut text);
    decaying(overview, width, &mut text);
    text
}

fn files(overview: &Overview, text: &mut String) {
    let (log, snapshots, lessons) = (&overview.log, &overview.snapshots, &overview.lessons);
    let reach = match (&log.oldest, &log.newest) {
        (Some(oldest), Some(newest)) => format!(", {oldest} to {newest}"),
        _ => String::new(),
    };
    let bad = if log.unreadable == 0 { String::new() } else { format!(", {} unreadable", log.unreadable) };
    let _ = writeln!(text, "log         {}{bad}, {}{reach}", counted(log.rows, "row"), sized(log.bytes));
    let of = (counted(snapshots.rows, "row"), counted(snapshots.files, "file"));
    let _ = writeln!(text, "snapshots   {} in {}, {}", of.0, of.1, sized(snapshots.bytes));
    let of = (counted(lessons.lessons, "lesson"), counted(lessons.lines, "line"));
    let _ = writeln!(text, "lessons     {} in {}, {}", of.0, of.1, sized(lessons.bytes));
    if overview.quarantined > 0 {
        let _ = writeln!(text, "quarantine  {}", counted(overview.quarantined, "line"));
    }
    if overview.waiting > 0 {
        let waiting = counted(overview.waiting, "candidate");
        let _ = writeln!(text, "review      {waiting}: `canonry memory review`");
    }
}

fn weeks(overview: &Overview, text: &mut String) {
    let most = overview.weeks.iter().map(|week| week.rows + week.archived).max().unwrap_or_default();
    if most == 0 {
        return;
    }
    let _ = writeln!(text, "\nRows by week (█ in the log, ░ in snapshots)");
    for week in &overview.weeks {
        let bar = |count: usize| (count * BAR).div_ceil(most);
        let (log, archived) = (bar(week.rows), bar(week.archived));
        let drawn = format!("{}{}", "█".repeat(log), "░".repeat(archived));
        let gap = if drawn.is_empty() { "" } else { " " };
        let _ = writeln!(text, "  {}  {drawn}{gap}{}", week.start, week.rows + week.archived);
    }
}

fn patterns(overview: &Overview, width: usize, text: &mut String) {
    if overview.patterns.is_empty() {
        return;
    }
    let (all, from) = (counted(overview.patterns_in_all, "pattern"), overview.thresholds.promote_at);
    let _ = writeln!(text, "\n{all} by salience (from {from} on, a lesson)\n  salience  rows  what");
    for pattern in &overview.patterns {
        let what = cut(&about(&pattern.skill, &pattern.action), width.saturating_sub(20));
        let mark = if pattern.promoted { "*" } else { " " };
        let _ = writeln!(text, "  {:>8.2}{mark} {:>4}  {what}", pattern.salience, pattern.rows);
    }
}

fn decaying(overview: &Overview, width: usize, text: &mut String) {
    if overview.decaying.is_empty() {
        return;
    }
    let (days, below) = (overview.thresholds.archive_after_days, overview.thresholds.archive_below);
    let _ = writeln!(text, "\nNext to leave the log (older than {days} days, below {below})");
    let _ = writeln!(text, "  leaves      salience  what");
    for row in &overview.decaying {
        let what = cut(&about(&row.skill, &row.action), width.saturating_sub(24));
        let _ = writeln!(text, "  {}  {:>8.2}  {what}", row.leaves, row.salience);
    }
}
