//! The limits of a run, and what is left of them.

use crate::Timestamp;
use canonry_model::canon::owners::Budget;
use std::time::{Duration, Instant};

/// Limits of one run that replace those in `owners.yaml`.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunLimits {
    /// Replaces the budget's number of workers at a time.
    pub workers: Option<usize>,
    /// Replaces the budget's minutes.
    pub minutes: Option<u64>,
    /// Replaces the budget's attempts.
    pub attempts: Option<u64>,
    /// End instead of waiting for the end of a usage limit.
    pub no_wait: bool,
}

/// The budget of a run, and how much of it is used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BudgetClock {
    budget: Budget,
    no_wait: bool,
    started: Instant,
    attempts: u64,
}

impl BudgetClock {
    /// Starts the clock.
    pub fn start(given: Budget, limits: &RunLimits) -> Self {
        let budget = Budget {
            workers: limits.workers.unwrap_or(given.workers).max(1),
            minutes: limits.minutes.unwrap_or(given.minutes),
            attempts: limits.attempts.unwrap_or(given.attempts),
        };
        Self { budget, no_wait: limits.no_wait, started: Instant::now(), attempts: 0 }
    }

    /// The limits.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// Number of workers that were started.
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    /// Counts a worker that was started.
    pub fn count_attempt(&mut self) {
        self.attempts += 1;
    }

    /// Whether another worker may run next to `active` others.
    pub fn has_room(&self, active: usize) -> bool {
        active < self.budget.workers
    }

    /// Whether another worker may be started.
    pub fn has_attempts(&self) -> bool {
        self.attempts < self.budget.attempts
    }

    /// Remaining minutes of the budget.
    pub fn time_left(&self) -> Duration {
        Duration::from_secs(self.budget.minutes.saturating_mul(60)).saturating_sub(self.started.elapsed())
    }

    /// Whether the run may wait for the end of a usage limit: it is wanted, and the time suffices. While it waits,
    /// [`super::drive`] calls `dispatch` every few seconds, until the limit, the budget or the user ends the wait.
    pub fn may_wait(&self, now: Timestamp, until: Timestamp) -> bool {
        let wait = Duration::try_from(until.to_jiff().duration_since(now.to_jiff())).unwrap_or_default();
        !self.no_wait && wait <= self.time_left()
    }

    /// The limit of attempts in words.
    pub fn attempts_limit(&self) -> String {
        format!("{} attempts", self.budget.attempts)
    }

    /// The limit of time in words.
    pub fn time_limit(&self) -> String {
        format!("{} minutes", self.budget.minutes)
    }
}
