//! What there is to see of a memory: the document `canonry/memory-status/v1`, and what the other views are made of.

use super::decide::{Decision, Night};
use super::standing::{Standing, week_of};
use crate::canon::timestamp::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;

/// Weeks that are looked back and ahead.
pub const WEEKS: usize = 12;

/// A memory at a glance.
#[derive(Clone, Debug, Serialize)]
pub struct Overview {
    /// `canonry/memory-status/v1`
    pub schema: &'static str,
    /// The moment that counted as now.
    pub now: String,
    /// The memory's folder.
    pub folder: String,
    /// The log.
    pub log: LogPart,
    /// The snapshots.
    pub snapshots: FilesPart,
    /// The lessons.
    pub lessons: LessonsPart,
    /// Lines in the quarantine, their headers not counted.
    pub quarantined: usize,
    /// Candidates that wait for a person.
    pub waiting: usize,
    /// What a dream would do now: its message.
    pub next_dream: String,
    /// The thresholds that hold.
    pub thresholds: Thresholds,
    /// Rows by the week they are from, the oldest first.
    pub weeks: Vec<Week>,
    /// The patterns, the weightiest first.
    pub patterns: Vec<PatternPart>,
    /// How many patterns there are in all.
    pub patterns_in_all: usize,
    /// Rows that leave the log, the next first.
    pub decaying: Vec<RowPart>,
    /// Rows that leave it in each of the coming weeks.
    pub outlook: Vec<usize>,
}

/// The log.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LogPart {
    /// Rows that can be read.
    pub rows: usize,
    /// Lines that cannot.
    pub unreadable: usize,
    /// Its size.
    pub bytes: u64,
    /// The day of its oldest row.
    pub oldest: Option<String>,
    /// The day of its newest row.
    pub newest: Option<String>,
}

/// Files of rows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FilesPart {
    /// How many.
    pub files: usize,
    /// Their rows.
    pub rows: usize,
    /// Their size.
    pub bytes: u64,
}

/// The lessons.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LessonsPart {
    /// How many.
    pub lessons: usize,
    /// Lines of the file.
    pub lines: usize,
    /// Its size.
    pub bytes: u64,
}

/// The thresholds.
#[derive(Clone, Debug, Serialize)]
pub struct Thresholds {
    /// The salience from which a pattern becomes a lesson.
    pub promote_at: f64,
    /// The salience below which an old row leaves.
    pub archive_below: f64,
    /// Days after which a row is old.
    pub archive_after_days: i64,
}

/// A week.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Week {
    /// Its Monday.
    pub start: String,
    /// Rows from it in the log.
    pub rows: usize,
    /// Rows from it in snapshots.
    pub archived: usize,
}

/// A pattern.
#[derive(Clone, Debug, Serialize)]
pub struct PatternPart {
    /// The row that speaks for it.
    pub id: String,
    /// Its skill.
    pub skill: String,
    /// Its action.
    pub action: String,
    /// Its rows.
    pub rows: usize,
    /// What it weighs.
    pub salience: f64,
    /// Whether that suffices for a lesson.
    pub promoted: bool,
}

/// A row that leaves.
#[derive(Clone, Debug, Serialize)]
pub struct RowPart {
    /// Its id.
    pub id: String,
    /// Its skill.
    pub skill: String,
    /// Its action.
    pub action: String,
    /// What it weighs now.
    pub salience: f64,
    /// The day of the dream that archives it.
    pub leaves: String,
}

/// Rows by week, up to that of `now`: the last [`WEEKS`], and what is older in none.
pub fn weeks(decision: &Decision, archived: &[Timestamp], now: Timestamp) -> Vec<Week> {
    let mut counts: BTreeMap<Timestamp, (usize, usize)> = BTreeMap::new();
    let this = week_of(now);
    let starts = (0..WEEKS).rev().filter_map(|back| i64::try_from(back).ok()).map(|back| this.minus_days(7 * back));
    counts.extend(starts.map(|start| (start, (0, 0))));
    let logged = decision.rows.iter().map(|row| (row.at, true));
    for (at, in_log) in logged.chain(archived.iter().map(|at| (*at, false))) {
        // What is dated in the future counts as now.
        if let Some((log, gone)) = counts.get_mut(&week_of(at.min(now))) {
            *(if in_log { log } else { gone }) += 1;
        }
    }
    let told = |(start, (rows, archived)): (Timestamp, (usize, usize))| Week { start: start.date(), rows, archived };
    counts.into_iter().map(told).collect()
}

/// Rows that leave in each of the coming weeks.
pub fn outlook(standing: &Standing) -> Vec<usize> {
    let mut weeks = vec![0; WEEKS];
    for going in &standing.going {
        if let Some(week) = usize::try_from(going.days / 7).ok().and_then(|week| weeks.get_mut(week)) {
            *week += 1;
        }
    }
    weeks
}

/// The days of the oldest and the newest row.
pub fn reach(decision: &Decision) -> (Option<String>, Option<String>) {
    let days = || decision.rows.iter().map(|row| row.at);
    (days().min().map(Timestamp::date), days().max().map(Timestamp::date))
}

/// The thresholds of a night.
pub fn thresholds(night: &Night) -> Thresholds {
    let policy = &night.policy;
    let (promote_at, archive_below) = (policy.promote_at, policy.archive_below);
    Thresholds { promote_at, archive_below, archive_after_days: policy.archive_after_days }
}
