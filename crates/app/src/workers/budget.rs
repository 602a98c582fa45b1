//! The limits of a run, and what is left of them.

use super::result::{WorkerResult, WorkerStop};
use super::usage_limits::UsageLimits;
use crate::Timestamp;
use canonry_model::canon::owners::{Budget, Owner};
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

/// The budget of a run, how much of it is used, and the usage limits of its tools.
#[derive(Clone, Debug)]
pub(crate) struct BudgetClock {
    budget: Budget,
    no_wait: bool,
    started: Instant,
    attempts: u64,
    /// Tokens that workers reported.
    tokens: u64,
    /// Number of workers that reported none.
    uncounted: u64,
    usage_limits: UsageLimits,
}

impl BudgetClock {
    /// Starts the clock.
    pub fn start(given: Budget, limits: &RunLimits, usage_limits: UsageLimits) -> Self {
        let budget = Budget {
            workers: limits.workers.unwrap_or(given.workers).max(1),
            minutes: limits.minutes.unwrap_or(given.minutes),
            attempts: limits.attempts.unwrap_or(given.attempts),
            tokens: given.tokens,
        };
        let no_wait = limits.no_wait;
        Self { budget, no_wait, started: Instant::now(), attempts: 0, tokens: 0, uncounted: 0, usage_limits }
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

    /// The owner of a role that is to work now; see [`UsageLimits::choose`].
    pub fn choose(&self, role: &Owner, now: Timestamp) -> Owner {
        self.usage_limits.choose(role, now)
    }

    /// Counts the tokens of a worker that ended, and notes the usage limit of its tool. `owner` is what [`Self::choose`]
    /// returned.
    pub(super) fn settle(&mut self, owner: &Owner, result: &mut WorkerResult, now: Timestamp) {
        let usage = result.usage;
        match usage.input_tokens.into_iter().chain(usage.output_tokens).reduce(u64::saturating_add) {
            Some(tokens) => self.tokens = self.tokens.saturating_add(tokens),
            None => self.uncounted += 1,
        }
        let Some(limit) = &mut result.limit else {
            if matches!(result.stop, WorkerStop::Exit(_)) && !result.is_error {
                self.usage_limits.forget(owner);
            }
            return;
        };
        self.usage_limits.record(owner, limit.until, now);
        if owner.alternatives.is_empty() {
            return;
        }
        let next = self.usage_limits.choose(owner, now);
        limit.until = self.usage_limits.until(&next, now);
        result.continued_by = next.argv.first().cloned().filter(|_| limit.until.is_none());
    }

    /// Whether another worker may run next to `active` others.
    pub fn has_room(&self, active: usize) -> bool {
        active < self.budget.workers
    }

    /// Whether another worker may be started.
    pub fn has_attempts(&self) -> bool {
        self.attempts < self.budget.attempts && self.budget.tokens.is_none_or(|tokens| self.tokens < tokens)
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

    /// The limit that [`Self::has_attempts`] has reached, in words.
    pub fn attempts_limit(&self) -> String {
        let Some(tokens) = self.budget.tokens.filter(|tokens| self.tokens >= *tokens) else {
            return format!("{} attempts", self.budget.attempts);
        };
        let uncounted = match self.uncounted {
            0 => String::new(),
            1 => ", and 1 worker reported none".to_owned(),
            many => format!(", and {many} workers reported none"),
        };
        format!("{tokens} tokens ({} reported{uncounted})", self.tokens)
    }

    /// The limit of time in words.
    pub fn time_limit(&self) -> String {
        format!("{} minutes", self.budget.minutes)
    }
}
