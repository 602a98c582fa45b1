//! How much a row counts, and when it leaves the log.

use super::row::Row;
use crate::canon::timestamp::Timestamp;
use crate::config::{MemoryConfig, Promotion, SalienceWeights};

/// Recurrences beyond this many count no more.
pub const RECURRENCE_LIMIT: usize = 3;

/// The thresholds of a dream.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// How salience is worked out.
    pub scoring: Scoring,
    /// The salience from which a recurring pattern becomes a lesson.
    pub promote_at: f64,
    /// The salience below which an old row leaves the log.
    pub archive_below: f64,
    /// Days after which a row is old.
    pub archive_after_days: i64,
    /// Whole days without a change after which the workspace is stale.
    pub stale_after_days: i64,
    /// Days after which a person is asked about a lesson of which nothing was seen; 0 for never.
    pub retire_lessons_after_days: i64,
    /// Who decides what becomes a lesson.
    pub promotion: Promotion,
}

/// The two formulas.
#[derive(Clone, Debug, PartialEq)]
pub enum Scoring {
    /// S2: `(10 - age x 0.3) x (pain / 10) x (importance / 10) x min(recurrence, 3)`, age in whole days. It is below zero
    /// from day 34 on.
    Seed,
    /// `10 x 2^(-age / half-life)` in place of the first factor, age in whole days and never below 0; each factor raised
    /// to its weight.
    HalfLife {
        /// Days in which recency halves.
        days: f64,
        /// The factors' exponents.
        weights: SalienceWeights,
    },
}

/// The factors of a salience, each raised to its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// By its age.
    pub recency: f64,
    /// By `pain_score`.
    pub pain: f64,
    /// By `importance`.
    pub importance: f64,
    /// By how often it recurs.
    pub recurrence: f64,
}

impl Terms {
    /// From left to right, to the last bit.
    pub fn product(self) -> f64 {
        self.recency * self.pain * self.importance * self.recurrence
    }
}

/// What salience is worked out from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    /// When it happened.
    pub at: Timestamp,
    /// `pain_score`
    pub pain: f64,
    /// `importance`
    pub importance: f64,
    /// How often it did.
    pub recurrence: f64,
}

impl Default for Policy {
    fn default() -> Self {
        Self::of(&MemoryConfig::default())
    }
}

impl Policy {
    /// What a team configures.
    pub fn of(config: &MemoryConfig) -> Self {
        Self {
            scoring: Scoring::HalfLife { days: config.half_life_days, weights: config.weights },
            promote_at: config.promote_at,
            archive_below: config.archive_below,
            archive_after_days: config.archive_after_days,
            stale_after_days: config.stale_after_days,
            retire_lessons_after_days: config.retire_lessons_after_days,
            promotion: config.promotion,
        }
    }

    /// The seed's.
    pub fn seed() -> Self {
        Self {
            scoring: Scoring::Seed,
            promote_at: 7.0,
            archive_below: 2.0,
            archive_after_days: 90,
            stale_after_days: 2,
            retire_lessons_after_days: 0,
            promotion: Promotion::Auto,
        }
    }

    /// A row's salience, with a recurrence that may not be the one it states.
    pub fn salience(&self, row: &Row, recurrence: f64, now: Timestamp) -> f64 {
        self.terms(row, recurrence, now).product()
    }

    /// What a row's salience is made of.
    pub fn terms(&self, row: &Row, recurrence: f64, now: Timestamp) -> Terms {
        self.weighed(Factors { at: row.at, pain: row.pain, importance: row.importance, recurrence }, now)
    }

    /// The salience of what has these factors.
    pub fn weigh(&self, factors: Factors, now: Timestamp) -> f64 {
        self.weighed(factors, now).product()
    }

    fn weighed(&self, factors: Factors, now: Timestamp) -> Terms {
        // Days of any age that a log can have are exact in a float.
        let age = factors.at.days_before(now) as f64;
        let (pain, importance) = (factors.pain / 10.0, factors.importance / 10.0);
        let recurrence = factors.recurrence.min(RECURRENCE_LIMIT as f64);
        match &self.scoring {
            Scoring::Seed => Terms { recency: 10.0 - age * 0.3, pain, importance, recurrence },
            Scoring::HalfLife { days, weights } => Terms {
                recency: 10.0 * raised((-age.max(0.0) / days).exp2(), weights.recency),
                pain: raised(pain, weights.pain),
                importance: raised(importance, weights.importance),
                recurrence: raised(recurrence, weights.recurrence),
            },
        }
    }
}

fn raised(factor: f64, weight: f64) -> f64 {
    if weight == 1.0 { factor } else { factor.powf(weight) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::row::{Extent, RowId, Way};

    fn row(at: &str, pain: f64, importance: f64) -> Row {
        let at = Timestamp::parse(at).unwrap();
        Row {
            extent: Extent { offset: 0, length: 0 },
            line: 1,
            at,
            pain,
            importance,
            recurrence: 1.0,
            key: 0,
            block: 0,
            words: Box::default(),
            id: RowId::Line,
            way: Way::default(),
        }
    }

    fn score(policy: &Policy, row: &Row, recurrence: f64) -> f64 {
        policy.salience(row, recurrence, Timestamp::parse("2026-05-01T00:00:00Z").unwrap())
    }

    #[test]
    fn the_seed_goes_below_zero_and_the_repaired_never_does() {
        let old = row("2026-01-01T00:00:00Z", 10.0, 10.0);
        assert_eq!(score(&Policy::seed(), &old, 3.0), -78.0);
        assert_eq!(score(&Policy::default(), &old, 3.0), 30.0 * 0.0625);
        let at_the_border = row("2026-01-21T00:00:00Z", 10.0, 10.0);
        assert!(score(&Policy::default(), &at_the_border, 5.0) >= Policy::default().archive_below);
    }

    #[test]
    fn a_stamp_in_the_future_counts_as_now() {
        let future = row("2027-05-01T00:00:00Z", 10.0, 10.0);
        assert_eq!(score(&Policy::default(), &future, 1.0), 10.0);
        assert_eq!(score(&Policy::seed(), &future, 1.0), 119.5);
    }

    #[test]
    fn a_weight_of_nothing_leaves_the_factor_out() {
        let weights = SalienceWeights { pain: 0.0, ..SalienceWeights::default() };
        let policy = Policy { scoring: Scoring::HalfLife { days: 30.0, weights }, ..Policy::default() };
        assert_eq!(score(&policy, &row("2026-05-01T00:00:00Z", 1.0, 10.0), 1.0), 10.0);
    }
}
