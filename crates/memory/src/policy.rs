//! The thresholds of a dream, and the salience formula.

use super::row::EpisodeRow;
use canonry_model::canon::timestamp::Timestamp;
use canonry_model::config::{MemoryConfig, Promotion, SalienceWeights};

/// Recurrences beyond this count add nothing to salience.
pub const MAX_RECURRENCE: usize = 3;

/// The thresholds of a dream.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryPolicy {
    /// The salience formula.
    pub scoring: Scoring,
    /// A recurring pattern of at least this salience becomes a lesson.
    pub promote_at: f64,
    /// An old row below this salience is archived.
    pub archive_below: f64,
    /// A row older than this many days is old.
    pub archive_after_days: i64,
    /// The working memory is stale after this many whole days without a change.
    pub stale_after_days: i64,
    /// A lesson is proposed for retirement after this many days without evidence; 0 disables it.
    pub retire_lessons_after_days: i64,
    /// Whether lessons are promoted automatically or wait for review.
    pub promotion: Promotion,
}

/// The salience formulas.
#[derive(Clone, Debug, PartialEq)]
pub enum Scoring {
    /// `(10 - age x 0.3) x (pain / 10) x (importance / 10) x min(recurrence, 3)` with the age in whole days. Negative from
    /// day 34 on.
    Seed,
    /// The seed's formula with `10 x 2^(-age / half-life)` as the first factor, the age at least 0, and each factor raised
    /// to its weight.
    HalfLife {
        /// The half-life of recency in days.
        days: f64,
        /// The exponents of the factors.
        weights: SalienceWeights,
    },
}

/// The factors of a salience, each raised to its weight.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct SalienceFactors {
    /// From the age.
    pub recency: f64,
    /// From `pain_score`.
    pub pain: f64,
    /// From `importance`.
    pub importance: f64,
    /// From the number of recurrences.
    pub recurrence: f64,
}

impl SalienceFactors {
    /// The salience. Multiplies from left to right: the seed's results must match to the last bit.
    pub fn product(self) -> f64 {
        self.recency * self.pain * self.importance * self.recurrence
    }
}

/// The properties of an episode that determine its salience.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SalienceInputs {
    /// When it happened.
    pub at: Timestamp,
    /// `pain_score`, 1 to 10.
    pub pain: f64,
    /// `importance`, 1 to 10.
    pub importance: f64,
    /// Number of its occurrences.
    pub recurrence: f64,
}

impl Default for MemoryPolicy {
    fn default() -> Self {
        Self::from_config(&MemoryConfig::default())
    }
}

impl MemoryPolicy {
    /// The thresholds of the `memory` section of a config.
    pub fn from_config(config: &MemoryConfig) -> Self {
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

    /// The seed's thresholds.
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

    /// The salience of a row. `recurrence` overrides the count that the row states.
    pub fn row_salience(&self, row: &EpisodeRow, recurrence: f64, now: Timestamp) -> f64 {
        self.row_factors(row, recurrence, now).product()
    }

    /// The factors of a row's salience. `recurrence` overrides the count that the row states.
    pub fn row_factors(&self, row: &EpisodeRow, recurrence: f64, now: Timestamp) -> SalienceFactors {
        self.factors(SalienceInputs { at: row.at, pain: row.pain, importance: row.importance, recurrence }, now)
    }

    /// The salience of an episode with these properties.
    pub fn salience(&self, inputs: SalienceInputs, now: Timestamp) -> f64 {
        self.factors(inputs, now).product()
    }

    fn factors(&self, inputs: SalienceInputs, now: Timestamp) -> SalienceFactors {
        // Any age that a log can have is exact as a float.
        let age = inputs.at.days_before(now) as f64;
        let pain = inputs.pain / 10.0;
        let importance = inputs.importance / 10.0;
        // Unlike `f64::min`, the seed's minimum keeps a value that is not a number.
        let recurrence =
            if inputs.recurrence > MAX_RECURRENCE as f64 { MAX_RECURRENCE as f64 } else { inputs.recurrence };
        match &self.scoring {
            Scoring::Seed => SalienceFactors { recency: 10.0 - age * 0.3, pain, importance, recurrence },
            Scoring::HalfLife { days, weights } => SalienceFactors {
                recency: 10.0 * weighted((-age.max(0.0) / days).exp2(), weights.recency),
                pain: weighted(pain, weights.pain),
                importance: weighted(importance, weights.importance),
                recurrence: weighted(recurrence, weights.recurrence),
            },
        }
    }
}

fn weighted(factor: f64, weight: f64) -> f64 {
    if weight == 1.0 { factor } else { factor.powf(weight) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{LineExtent, RowId, RowOutcome};

    fn row(at: &str, pain: f64, importance: f64) -> EpisodeRow {
        let at = Timestamp::parse(at).unwrap();
        EpisodeRow {
            extent: LineExtent { offset: 0, length: 0 },
            line: 1,
            at,
            pain,
            importance,
            recurrence: 1.0,
            key: 0,
            id: RowId::Line,
            skill: None,
            outcome: RowOutcome::default(),
        }
    }

    fn score(policy: &MemoryPolicy, row: &EpisodeRow, recurrence: f64) -> f64 {
        policy.row_salience(row, recurrence, Timestamp::parse("2026-05-01T00:00:00Z").unwrap())
    }

    #[test]
    fn only_the_seed_formula_goes_below_zero() {
        let old = row("2026-01-01T00:00:00Z", 10.0, 10.0);
        assert_eq!(score(&MemoryPolicy::seed(), &old, 3.0), -78.0);
        assert_eq!(score(&MemoryPolicy::default(), &old, 3.0), 30.0 * 0.0625);
        let at_the_border = row("2026-01-21T00:00:00Z", 10.0, 10.0);
        assert!(score(&MemoryPolicy::default(), &at_the_border, 5.0) >= MemoryPolicy::default().archive_below);
    }

    #[test]
    fn a_timestamp_in_the_future_counts_as_now() {
        let future = row("2027-05-01T00:00:00Z", 10.0, 10.0);
        assert_eq!(score(&MemoryPolicy::default(), &future, 1.0), 10.0);
        assert_eq!(score(&MemoryPolicy::seed(), &future, 1.0), 119.5);
    }

    #[test]
    fn a_weight_of_zero_disables_the_factor() {
        let weights = SalienceWeights { pain: 0.0, ..SalienceWeights::default() };
        let policy = MemoryPolicy { scoring: Scoring::HalfLife { days: 30.0, weights }, ..MemoryPolicy::default() };
        assert_eq!(score(&policy, &row("2026-05-01T00:00:00Z", 1.0, 10.0), 1.0), 10.0);
    }
}
