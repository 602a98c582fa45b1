//! What happens to the log between dreams: the salience of its patterns, and when each row will be archived.

use super::consolidation::{DreamDecision, DreamParams, weigh_patterns};
use super::row::EpisodeRow;
use crate::canon::timestamp::Timestamp;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// Days into the future for which departures are computed.
const HORIZON_DAYS: i64 = 36_500;

/// A pattern with its salience.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedPattern {
    /// The row that represents it.
    pub best: usize,
    /// All rows.
    pub rows: Vec<usize>,
    /// The salience, with the number of rows as the recurrence.
    pub salience: f64,
}

/// A row that a future dream archives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Departure {
    /// The row.
    pub row: usize,
    /// The salience now.
    pub salience: f64,
    /// Days until the dream that archives it, if nothing is added to the log.
    pub days: i64,
}

/// The patterns of a log, and its future departures.
#[derive(Clone, Debug, PartialEq)]
pub struct LogForecast {
    /// The patterns, the most salient first.
    pub patterns: Vec<RankedPattern>,
    /// The rows that will leave, the next first.
    pub departures: Vec<Departure>,
}

/// The salience of a row and the recurrence it is based on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowWeight {
    /// The salience.
    pub salience: f64,
    /// The number of rows of the pattern if the row represents one, else the count that the row states.
    pub recurrence: f64,
}

impl LogForecast {
    /// Computes the forecast from the decision of a dream.
    pub fn new(decision: &DreamDecision, params: &DreamParams) -> Self {
        let rows = &decision.rows;
        let weighed = weigh_patterns(decision, params);
        let sizes: HashMap<usize, usize> =
            weighed.iter().map(|(pattern, _)| (pattern.best, pattern.rows.len())).collect();
        let mut patterns: Vec<RankedPattern> = weighed
            .into_iter()
            .map(|(pattern, salience)| RankedPattern { best: pattern.best, rows: pattern.rows.clone(), salience })
            .collect();
        patterns.sort_by(|a, b| b.salience.total_cmp(&a.salience));
        let archived: HashSet<usize> = decision.archived.iter().copied().collect();
        let departure = |at: usize| {
            let recurrence = sizes.get(&at).map_or(rows[at].recurrence, |size| *size as f64);
            let salience = params.policy.row_salience(&rows[at], recurrence, params.now);
            // A row that is due but not archived is kept as a witness of an old pattern.
            let days =
                days_until_archived(&rows[at], recurrence, params).filter(|days| *days > 0 || archived.contains(&at));
            days.map(|days| Departure { row: at, salience, days })
        };
        let mut departures: Vec<Departure> = (0..rows.len()).into_par_iter().filter_map(departure).collect();
        departures.sort_by_key(|departure| departure.days);
        Self { patterns, departures }
    }

    /// The weight of a row.
    pub fn weigh_row(&self, row: usize, rows: &[EpisodeRow], params: &DreamParams) -> RowWeight {
        let pattern = self.patterns.iter().find(|pattern| pattern.best == row);
        let recurrence = pattern.map_or(rows[row].recurrence, |pattern| pattern.rows.len() as f64);
        RowWeight { salience: params.policy.row_salience(&rows[row], recurrence, params.now), recurrence }
    }
}

/// Days until a row is old and below the archiving threshold: 0 if it is now, `None` if it never will be.
pub fn days_until_archived(row: &EpisodeRow, recurrence: f64, params: &DreamParams) -> Option<i64> {
    let is_due = |days: i64| {
        let then = params.now.minus_days(-days);
        let is_old = row.at < then.minus_days(params.policy.archive_after_days);
        is_old && params.policy.row_salience(row, recurrence, then) < params.policy.archive_below
    };
    if !is_due(HORIZON_DAYS) {
        return None;
    }
    // Binary search: once a row is due, it stays due.
    let (mut not_due, mut due) = (-1, HORIZON_DAYS);
    while due - not_due > 1 {
        let middle = (due + not_due) / 2;
        if is_due(middle) {
            due = middle;
        } else {
            not_due = middle;
        }
    }
    Some(due)
}

/// The Monday of a time's week, in UTC.
pub fn week_start(at: Timestamp) -> Timestamp {
    // 1970-01-01 was a Thursday.
    let days = at.to_jiff().as_second().div_euclid(86_400);
    let monday = (days + 3).div_euclid(7) * 7 - 3;
    let moment = jiff::Timestamp::from_second(monday * 86_400).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    Timestamp::from(moment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{LogChunk, MemoryPolicy, Ruleset, consolidate, parse_rows};
    use proptest::prelude::*;

    fn params() -> DreamParams {
        let now = Timestamp::parse("2026-05-01T03:00:00Z").unwrap();
        DreamParams { now, policy: MemoryPolicy::default(), ruleset: Ruleset::Current }
    }

    fn rows(lines: &[(u8, i64, u8)]) -> Vec<EpisodeRow> {
        let line = |(action, age, pain): &(u8, i64, u8)| {
            let at = params().now.minus_days(*age);
            format!("{{\"timestamp\":\"{at}\",\"action\":\"{action}\",\"pain_score\":{pain},\"importance\":10}}\n")
        };
        let log: String = lines.iter().map(line).collect();
        let chunk = LogChunk { bytes: log.as_bytes(), offset: 0, lines: 0 };
        parse_rows(chunk, Ruleset::Current).into_iter().flatten().collect()
    }

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

    #[test]
    fn patterns_are_sorted_by_salience() {
        let decision =
            consolidate(rows(&[(1, 1, 3), (1, 2, 3), (2, 1, 9), (2, 1, 9), (3, 1, 10)]), Vec::new(), &params());
        let forecast = LogForecast::new(&decision, &params());
        assert_eq!(forecast.patterns.iter().map(|pattern| pattern.best).collect::<Vec<_>>(), [2, 0]);
        let weight = forecast.weigh_row(2, &decision.rows, &params());
        assert_eq!((weight.salience, weight.recurrence), (forecast.patterns[0].salience, 2.0));
    }

    proptest! {
        /// A dream archives the row on the predicted day, and no earlier dream does.
        #[test]
        fn rows_leave_on_the_predicted_day(age in -5..200i64, pain in 1..=10u8) {
            let rows = rows(&[(1, age, pain)]);
            let days = days_until_archived(&rows[0], 1.0, &params()).unwrap();
            let leaves = |days: i64| {
                let params = DreamParams { now: params().now.minus_days(-days), ..params() };
                consolidate(rows.clone(), Vec::new(), &params).archived == [0]
            };
            prop_assert!(leaves(days) && (days == 0 || !leaves(days - 1)), "{days}");
            let forecast = LogForecast::new(&consolidate(rows.clone(), Vec::new(), &params()), &params());
            prop_assert_eq!(forecast.departures[0].days, days);
        }
    }
}
