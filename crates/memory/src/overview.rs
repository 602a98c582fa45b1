//! The content of `memory status`.

use super::consolidation::{DreamDecision, DreamParams};
use super::dream_counts::DreamCounts;
use super::nights::NightsOverview;
use super::outdated_lessons::OutdatedLesson;
use super::pages::DueDecision;
use super::review::{CandidateKind, EvidenceRow};
use canonry_model::canon::timestamp::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;

/// Weeks of history.
pub const WEEKS: usize = 12;

/// The state of a memory. The fields, in this order, are those of the JSON document `canonry/memory-status/v1`.
#[derive(Clone, Debug, Serialize)]
pub struct MemoryOverview {
    /// The time the overview is about, RFC 3339.
    pub now: String,
    /// The memory directory, relative to the repository.
    pub folder: String,
    /// The log.
    pub log: LogOverview,
    /// The snapshots.
    pub snapshots: SnapshotOverview,
    /// The lessons.
    pub lessons: LessonsOverview,
    /// The newest lessons that a dream or a person added, the newest first.
    pub learned: Vec<LearnedLesson>,
    /// The lessons that are older than a change of what they are about.
    pub outdated: Vec<OutdatedLesson>,
    /// The candidates that wait for review.
    pub candidates: Vec<WaitingCandidate>,
    /// The decisions in effect whose date to revisit them has come.
    pub due_decisions: Vec<DueDecision>,
    /// Lines in the quarantine, without comments.
    pub quarantined: usize,
    /// Candidates that wait for review.
    pub waiting: usize,
    /// The recent nights.
    pub nights: NightsOverview,
    /// The counts of a dream at this time, in JSON as the subject of its commit.
    pub next_dream: DreamCounts,
    /// The thresholds in effect.
    pub thresholds: Thresholds,
    /// Rows by week, the oldest first.
    pub weeks: Vec<WeekCount>,
    /// The most salient patterns.
    pub patterns: Vec<PatternOverview>,
    /// The number of all patterns.
    pub patterns_in_all: usize,
}

/// The log.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LogOverview {
    /// Valid rows.
    pub rows: usize,
    /// Invalid lines.
    pub unreadable: usize,
    /// The size of the file.
    pub bytes: u64,
    /// The date of the oldest row.
    pub oldest: Option<String>,
    /// The date of the newest row.
    pub newest: Option<String>,
}

/// The snapshots of archived rows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SnapshotOverview {
    /// The number of files.
    pub files: usize,
    /// Rows in all of them.
    pub rows: usize,
    /// The size of all of them.
    pub bytes: u64,
}

/// The lessons.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LessonsOverview {
    /// The number of lessons.
    pub lessons: usize,
    /// Lines of the file.
    pub lines: usize,
    /// The size of the file.
    pub bytes: u64,
}

/// A lesson below a date heading.
#[derive(Clone, Debug, Serialize)]
pub struct LearnedLesson {
    /// The date, such as 2026-05-01.
    pub date: String,
    /// The text.
    pub text: String,
}

/// A candidate of the review queue.
#[derive(Clone, Debug, Serialize)]
pub struct WaitingCandidate {
    /// The name.
    pub candidate: String,
    pub kind: CandidateKind,
    /// The text.
    pub text: String,
    /// The number of its episodes now.
    pub episodes: usize,
    /// Rows of the log that it comes from.
    pub evidence: Vec<EvidenceRow>,
    /// The lesson that it looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// Near-opposites, each with its location.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near_opposites: Vec<String>,
    /// Contradicted lessons and candidates, each with its location.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub opposed_to: Vec<String>,
}

/// The thresholds of the memory policy.
#[derive(Clone, Debug, Serialize)]
pub struct Thresholds {
    /// Patterns of at least this salience become lessons.
    pub promote_at: f64,
    /// Old rows below this salience are archived.
    pub archive_below: f64,
    /// Rows older than this many days are old.
    pub archive_after_days: i64,
}

impl Thresholds {
    /// The thresholds of a dream.
    pub fn new(params: &DreamParams) -> Self {
        let policy = &params.policy;
        let promote_at = policy.promote_at;
        let archive_below = policy.archive_below;
        Self { promote_at, archive_below, archive_after_days: policy.archive_after_days }
    }
}

/// The rows of a week.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WeekCount {
    /// The date of its Monday.
    pub start: String,
    /// Rows in the log.
    pub rows: usize,
    /// Rows in snapshots.
    pub archived: usize,
}

/// A pattern.
#[derive(Clone, Debug, Serialize)]
pub struct PatternOverview {
    /// The id of the row that represents it.
    pub id: String,
    /// The skill of that row.
    pub skill: String,
    /// The action of that row.
    pub action: String,
    /// The number of rows.
    pub rows: usize,
    /// The salience.
    pub salience: f64,
    /// Whether the salience is high enough for a lesson.
    pub promoted: bool,
}

/// Counts the rows of the last [`WEEKS`] weeks up to that of `now`.
pub fn count_weeks(decision: &DreamDecision, archived: &[Timestamp], now: Timestamp) -> Vec<WeekCount> {
    #[derive(Default)]
    struct Counts {
        logged: usize,
        archived: usize,
    }
    let this_week = week_start(now);
    let starts = (0..).take(WEEKS).map(|back| this_week.minus_days(7 * back));
    let mut weeks: BTreeMap<Timestamp, Counts> = starts.map(|start| (start, Counts::default())).collect();
    // A timestamp in the future counts as now.
    for row in &decision.log.rows {
        if let Some(counts) = weeks.get_mut(&week_start(row.at.min(now))) {
            counts.logged += 1;
        }
    }
    for at in archived {
        if let Some(counts) = weeks.get_mut(&week_start((*at).min(now))) {
            counts.archived += 1;
        }
    }
    let week = |(start, counts): (Timestamp, Counts)| WeekCount {
        start: start.date(),
        rows: counts.logged,
        archived: counts.archived,
    };
    weeks.into_iter().map(week).collect()
}

/// The Monday of a time's week, in UTC.
fn week_start(at: Timestamp) -> Timestamp {
    // 1970-01-01 was a Thursday.
    let days = at.to_jiff().as_second().div_euclid(86_400);
    let monday = (days + 3).div_euclid(7) * 7 - 3;
    let moment = jiff::Timestamp::from_second(monday * 86_400).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    Timestamp::from(moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_begin_on_monday() {
        for (at, week) in [
            ("2026-05-01T03:00:00Z", "2026-04-27"),
            ("2026-04-27T00:00:00Z", "2026-04-27"),
            ("2026-04-26T23:59:59Z", "2026-04-20"),
            ("1970-01-01T00:00:00Z", "1969-12-29"),
        ] {
            assert_eq!(week_start(Timestamp::parse(at).unwrap()).date(), week, "{at}");
        }
    }
}
