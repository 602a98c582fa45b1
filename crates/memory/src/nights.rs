//! Record of past dreams: which nights failed and why, and whether nights were skipped.

use canonry_model::canon::timestamp::Timestamp;
use serde::Serialize;

/// The start of the text of a failed run.
pub const FAILED: &str = "failed (";
/// The start of the text of a run that undoes a dream, or fails to.
pub const UNDO_RUN: &str = "undo ";
/// The text of a run that was killed.
pub const KILLED: &str = "failed (killed): the run did not finish; the next one completes what it began";
/// Hours after which the next night is overdue: a day, and time for a machine that wakes up late.
const OVERDUE_HOURS: i64 = 36;
/// Runs on so many different days mean that dreams run every night.
const NIGHTLY_DAYS: usize = 3;

/// The recent nights. The fields, in this order, are part of the JSON document `canonry/memory-status/v1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NightsOverview {
    /// When a dream last succeeded, RFC 3339.
    pub last_success: Option<String>,
    /// Dreams that failed since then.
    pub failed: usize,
    /// When the first of them failed.
    pub failing_since: Option<String>,
    /// Why the last of them failed.
    pub reason: Option<String>,
    /// Nights without a dream since the last one, if dreams used to run every night.
    pub skipped: i64,
}

impl NightsOverview {
    /// Reads the end of the record, which has one line per run. `killed_at` is the start of a run that did not finish and is
    /// not in the record yet.
    pub fn read(record: &str, killed_at: Option<Timestamp>, now: Timestamp) -> Self {
        let mut overview = Self::default();
        let mut last: Option<Timestamp> = None;
        let mut days: Vec<String> = Vec::new();
        let mut runs: Vec<(Timestamp, &str)> = lines(record).collect();
        if let Some(at) = killed_at.filter(|at| !Self::is_recorded(record, *at)) {
            // Runs that could not write anything may have failed since, and left it as it was.
            let place = runs.iter().rposition(|(earlier, _)| *earlier <= at).map_or(0, |before| before + 1);
            runs.insert(place, (at, KILLED));
        }
        for (at, text) in runs {
            if text.starts_with(UNDO_RUN) {
                continue;
            }
            overview.add(at, text);
            // A run under a clock that was far off says nothing about the last night.
            last = last.max(Some(at).filter(|at| *at <= now));
            if days.last() != Some(&at.date()) {
                days.push(at.date());
            }
        }
        if let Some(last) = last.filter(|_| days.len() >= NIGHTLY_DAYS)
            && last.minutes_before(now) > OVERDUE_HOURS * 60
        {
            overview.skipped = last.days_before(now);
        }
        overview
    }

    /// Whether the last line is about a run that began at this time, which was then killed after it ended.
    pub fn is_recorded(record: &str, began: Timestamp) -> bool {
        lines(record).last().is_some_and(|(at, _)| at == began)
    }

    fn add(&mut self, at: Timestamp, text: &str) {
        if !text.starts_with(FAILED) {
            *self = Self { last_success: Some(at.to_string()), ..Self::default() };
            return;
        }
        self.failed += 1;
        self.failing_since.get_or_insert_with(|| at.to_string());
        self.reason = Some(text.trim_start_matches(FAILED).replacen("): ", ": ", 1));
    }

    /// Problems for a person; empty if all is well.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if let (Some(since), Some(reason)) = (&self.failing_since, &self.reason) {
            let date = since.split('T').next().unwrap_or(since);
            problems.push(match self.failed {
                1 => format!("The last dream failed on {date}: {reason}"),
                count => format!("The last {count} dreams failed, the first on {date}. The last reason: {reason}"),
            });
        }
        if self.skipped > 0 {
            let days = if self.skipped == 1 { "1 day".to_owned() } else { format!("{} days", self.skipped) };
            problems.push(format!(
                "No dream has run for {days}, although one used to run every night. The next one makes up for it: run \
                 `canonry dream`, and `canonry doctor` to look for the cause."
            ));
        }
        problems
    }
}

/// The time and the text of each run.
fn lines(record: &str) -> impl Iterator<Item = (Timestamp, &str)> {
    record.lines().filter_map(|line| {
        let (at, text) = line.split_once(' ')?;
        Some((Timestamp::parse(at)?, text))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(record: &str, killed_at: Option<&str>, now: &str) -> NightsOverview {
        NightsOverview::read(record, killed_at.and_then(Timestamp::parse), Timestamp::parse(now).unwrap())
    }

    #[test]
    fn failures_count_since_the_last_success() {
        let record = "2026-05-01T03:00:00Z failed (refused): old\n2026-05-02T03:00:00Z dream cycle: promoted 1 (abc)\n\
                      2026-05-02T09:00:00Z undo failed (refused): changed\nnonsense\n\
                      2026-05-03T03:00:00Z failed (contention): index.lock\n2026-05-04T03:00:00Z failed (internal error): disk (full)\n";
        let overview = read(record, None, "2026-05-04T12:00:00Z");
        assert_eq!(overview.last_success.as_deref(), Some("2026-05-02T03:00:00Z"));
        assert_eq!(
            overview.problems(),
            ["The last 2 dreams failed, the first on 2026-05-03. The last reason: internal error: disk (full)"]
        );
        let overview = read(record, Some("2026-05-05T03:00:00Z"), "2026-05-05T12:00:00Z");
        assert!(
            overview.failed == 3 && overview.problems()[0].contains("killed: the run did not finish"),
            "{overview:?}"
        );
        // The read-only log kept the next runs from recording the kill, or finishing what it began.
        let after = format!("{record}2026-05-06T03:00:00Z failed (internal error): read-only\n");
        let overview = read(&after, Some("2026-05-05T03:00:00Z"), "2026-05-06T12:00:00Z");
        assert_eq!((overview.failed, overview.reason.as_deref()), (4, Some("internal error: read-only")));
        let well = format!("{record}2026-05-05T03:00:00Z dream cycle: promoted 0 (nothing to do)\n");
        assert_eq!(read(&well, None, "2026-05-05T12:00:00Z").problems(), [""; 0]);
    }

    #[test]
    fn a_skipped_night_is_noticed_only_if_nights_are_usual() {
        let nights = |days: &[u32]| -> String {
            days.iter()
                .map(|day| format!("2026-05-{day:02}T03:00:00Z dream cycle: promoted 0 (nothing to do)\n"))
                .collect()
        };
        for (days, now, skipped) in [
            (&[1, 2, 3][..], "2026-05-04T12:00:00Z", 0),
            (&[1, 2, 3], "2026-05-04T16:00:00Z", 1),
            (&[1, 2, 3], "2026-05-08T04:00:00Z", 5),
            (&[1, 1, 3], "2026-05-08T04:00:00Z", 0),
            (&[], "2026-05-08T04:00:00Z", 0),
        ] {
            assert_eq!(read(&nights(days), None, now).skipped, skipped, "{days:?} {now}");
        }
    }
}
