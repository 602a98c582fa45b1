//! How the log stands between two dreams: what weighs most, and when each row will leave.

use super::decide::{Decision, Night, weighed};
use super::row::Row;
use crate::canon::timestamp::Timestamp;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// Days beyond which nobody asks when a row will leave.
const HORIZON: i64 = 36_500;

/// A pattern and what it weighs.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The row that speaks for it.
    pub best: usize,
    /// Its rows.
    pub rows: Vec<usize>,
    /// With the recurrence of the whole.
    pub salience: f64,
}

/// A row that will leave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Going {
    /// The row.
    pub row: usize,
    /// What it weighs now.
    pub salience: f64,
    /// Days until the first dream that archives it, if nothing is added until then.
    pub days: i64,
}

/// How the log stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The patterns, the weightiest first.
    pub patterns: Vec<Ranked>,
    /// The rows that leave, the next first.
    pub going: Vec<Going>,
}

impl Standing {
    /// From what a dream decides.
    pub fn of(decision: &Decision, night: &Night) -> Self {
        let rows = &decision.rows;
        let weighed = weighed(decision, night);
        let sizes: HashMap<usize, usize> =
            weighed.iter().map(|(pattern, _)| (pattern.best, pattern.rows.len())).collect();
        let mut patterns: Vec<Ranked> = weighed
            .into_iter()
            .map(|(pattern, salience)| Ranked { best: pattern.best, rows: pattern.rows.clone(), salience })
            .collect();
        patterns.sort_by(|a, b| b.salience.total_cmp(&a.salience));
        let archived: HashSet<usize> = decision.archived.iter().copied().collect();
        let going = |at: usize| {
            let recurrence = sizes.get(&at).map_or(rows[at].recurrence, |size| *size as f64);
            let salience = night.policy.salience(&rows[at], recurrence, night.now);
            // One that would have left and stays shows that an old pattern recurs.
            let days = leaves_in(&rows[at], recurrence, night).filter(|days| *days > 0 || archived.contains(&at));
            days.map(|days| Going { row: at, salience, days })
        };
        let mut going: Vec<Going> = (0..rows.len()).into_par_iter().filter_map(going).collect();
        going.sort_by_key(|going| going.days);
        Self { patterns, going }
    }

    /// What a row weighs, and with which recurrence: that of its pattern where it speaks for one.
    pub fn weight(&self, row: usize, rows: &[Row], night: &Night) -> (f64, f64) {
        let pattern = self.patterns.iter().find(|pattern| pattern.best == row);
        let recurrence = pattern.map_or(rows[row].recurrence, |pattern| pattern.rows.len() as f64);
        (night.policy.salience(&rows[row], recurrence, night.now), recurrence)
    }
}

/// Days until a row is both old and of low salience; 0 where it is already, nothing where it never will be.
pub fn leaves_in(row: &Row, recurrence: f64, night: &Night) -> Option<i64> {
    let is_due = |days: i64| {
        let then = night.now.minus_days(-days);
        let old = row.at < then.minus_days(night.policy.archive_after_days);
        old && night.policy.salience(row, recurrence, then) < night.policy.archive_below
    };
    if !is_due(HORIZON) {
        return None;
    }
    // Neither age nor decay ever turns back.
    let (mut not_yet, mut due) = (-1, HORIZON);
    while due - not_yet > 1 {
        let middle = (due + not_yet) / 2;
        if is_due(middle) {
            due = middle;
        } else {
            not_yet = middle;
        }
    }
    Some(due)
}

/// The Monday of a moment's week, in UTC.
pub fn week_of(at: Timestamp) -> Timestamp {
    // 1970 began on a Thursday.
    let days = at.to_jiff().as_second().div_euclid(86_400);
    let monday = (days + 3).div_euclid(7) * 7 - 3;
    let moment = jiff::Timestamp::from_second(monday * 86_400).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    Timestamp::from(moment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Chunk, Policy, Ruleset, decide, scan};
    use proptest::prelude::*;

    fn night() -> Night {
        let now = Timestamp::parse("2026-05-01T03:00:00Z").unwrap();
        Night { now, policy: Policy::default(), ruleset: Ruleset::Current }
    }

    fn rows(lines: &[(u8, i64, u8)]) -> Vec<Row> {
        let line = |(action, age, pain): &(u8, i64, u8)| {
            let at = night().now.minus_days(*age);
            format!("{{\"timestamp\":\"{at}\",\"action\":\"{action}\",\"pain_score\":{pain},\"importance\":10}}\n")
        };
        let log: String = lines.iter().map(line).collect();
        let chunk = Chunk { bytes: log.as_bytes(), offset: 0, lines: 0 };
        scan(chunk, Ruleset::Current).into_iter().flatten().collect()
    }

    #[test]
    fn weeks_begin_on_monday() {
        for (at, week) in [
            ("2026-05-01T03:00:00Z", "2026-04-27"),
            ("2026-04-27T00:00:00Z", "2026-04-27"),
            ("2026-04-26T23:59:59Z", "2026-04-20"),
            ("1970-01-01T00:00:00Z", "1969-12-29"),
        ] {
            assert_eq!(week_of(Timestamp::parse(at).unwrap()).date(), week, "{at}");
        }
    }

    #[test]
    fn the_weightiest_pattern_comes_first() {
        let decision = decide(rows(&[(1, 1, 3), (1, 2, 3), (2, 1, 9), (2, 1, 9), (3, 1, 10)]), Vec::new(), &night());
        let standing = Standing::of(&decision, &night());
        assert_eq!(standing.patterns.iter().map(|pattern| pattern.best).collect::<Vec<_>>(), [2, 0]);
        let (salience, recurrence) = standing.weight(2, &decision.rows, &night());
        assert_eq!((salience, recurrence), (standing.patterns[0].salience, 2.0));
    }

    proptest! {
        /// The day that is foretold is the day on which a dream does it, and no earlier one does.
        #[test]
        fn rows_leave_when_it_is_said(age in -5..200i64, pain in 1..=10u8) {
            let rows = rows(&[(1, age, pain)]);
            let days = leaves_in(&rows[0], 1.0, &night()).unwrap();
            let leaves = |days: i64| {
                let night = Night { now: night().now.minus_days(-days), ..night() };
                decide(rows.clone(), Vec::new(), &night).archived == [0]
            };
            prop_assert!(leaves(days) && (days == 0 || !leaves(days - 1)), "{days}");
            let standing = Standing::of(&decide(rows.clone(), Vec::new(), &night()), &night());
            prop_assert_eq!(standing.going[0].days, days);
        }
    }
}
