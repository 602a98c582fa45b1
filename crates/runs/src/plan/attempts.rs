//! Attempts of a step, from its reports.

use canonry_model::canon::report::{AttemptCause, AttemptOutcome, StepAttempt};
use canonry_model::canon::timestamp::Timestamp;
use jiff::SignedDuration;

/// First wait after a usage limit whose end the tool does not name; it doubles with each further limit.
const FIRST_WAIT: SignedDuration = SignedDuration::from_mins(15);
/// First wait if work should be accepted already; it doubles too.
const SHORT_WAIT: SignedDuration = SignedDuration::from_mins(1);
/// Added to a stated end, because the clocks of two machines differ.
const SLACK: SignedDuration = SignedDuration::from_secs(10);
/// Longest wait after a usage limit whose end the tool does not name.
const LONGEST_WAIT: SignedDuration = SignedDuration::from_hours(5);

/// The attempts at a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttemptHistory {
    /// The highest number of a report.
    pub last: u64,
    /// The last attempt that succeeded since the step was last reopened.
    pub success: Option<u64>,
    /// The last attempt since then whose pull request a person has to merge.
    pub proposed: Option<u64>,
    /// Number of attempts that count toward the bound: those since the step was last reopened, without usage limits
    /// and interruptions.
    pub counted: u64,
    /// The end of the usage limit in the last report.
    pub waiting_until: Option<Timestamp>,
    /// Number of the last reports, without a gap, that are usage limits.
    limits: u32,
    /// The failures since the step was last reopened.
    pub failures: Vec<AttemptFailure>,
}

/// A failed attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptFailure {
    /// The number of the attempt.
    pub attempt: u64,
    /// Error in the words of the report.
    pub error: String,
}

impl AttemptHistory {
    /// Reads the reports on one step, in any order.
    pub fn from_reports<'a>(reports: impl Iterator<Item = &'a StepAttempt>) -> Self {
        let mut reports: Vec<&StepAttempt> = reports.collect();
        reports.sort_by_key(|report| report.number);
        let mut history = Self::default();
        for report in reports {
            history.add(report);
        }
        history
    }

    fn add(&mut self, report: &StepAttempt) {
        self.last = report.number;
        self.waiting_until = None;
        let Some(result) = &report.result else {
            self.limits = 0;
            self.fail(report.number, "its report is not valid".to_owned());
            return;
        };
        match result.cause {
            Some(AttemptCause::Reopened) => {
                *self = Self { last: report.number, ..Self::default() };
            }
            Some(AttemptCause::UsageLimit) => {
                self.limits += 1;
                self.waiting_until = result.waiting_until;
            }
            Some(AttemptCause::Interrupted) => self.limits = 0,
            // It was verified.
            Some(AttemptCause::PullRequest) => {
                self.limits = 0;
                self.proposed = Some(report.number);
                self.counted += 1;
            }
            _ => {
                self.limits = 0;
                if result.outcome == AttemptOutcome::Success {
                    self.success = Some(report.number);
                    self.counted += 1;
                } else {
                    let error = result.error.clone().filter(|error| !error.trim().is_empty());
                    self.fail(report.number, error.unwrap_or_else(|| result.details.clone()));
                }
            }
        }
    }

    fn fail(&mut self, attempt: u64, error: String) {
        self.counted += 1;
        self.failures.push(AttemptFailure { attempt, error });
    }

    /// Whether another attempt is allowed. `retries` is the number of attempts after the first.
    pub fn may_try(&self, retries: u32) -> bool {
        self.counted <= u64::from(retries)
    }

    /// When to try again after another usage limit, see [`retry_time`].
    pub fn next_try(&self, now: Timestamp, stated: Option<Timestamp>) -> Timestamp {
        retry_time(self.limits, now, stated)
    }
}

/// When to try again after a usage limit that follows `limits` others: shortly after the stated end. If that has passed or
/// none is stated, after a wait that grows.
pub fn retry_time(limits: u32, now: Timestamp, stated: Option<Timestamp>) -> Timestamp {
    let factor = 1_i32.checked_shl(limits.min(16)).unwrap_or(i32::MAX);
    let grown = |first: SignedDuration| first.checked_mul(factor).unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT);
    let (from, wait) = match stated {
        Some(stated) if stated > now => (stated, SLACK),
        Some(_) => (now, grown(SHORT_WAIT)),
        None => (now, grown(FIRST_WAIT)),
    };
    Timestamp::from(from.to_jiff().saturating_add(wait).unwrap_or(from.to_jiff()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::report::AttemptResult;
    use canonry_text::{RepoPath, Source, Span};
    use std::sync::Arc;

    fn report(number: u64, outcome: AttemptOutcome, cause: Option<AttemptCause>) -> StepAttempt {
        let source = Arc::new(Source::from_bytes(RepoPath::from("r.json"), b"{}".to_vec()).unwrap());
        let result = AttemptResult {
            outcome,
            source,
            span: Span::new(0, 0),
            cause,
            waiting_until: Timestamp::parse("2026-01-01T10:00:00Z"),
            timestamp: None,
            details: format!("attempt {number}"),
            error: None,
            owner: None,
            commit: None,
            base: None,
        };
        StepAttempt { step: "a".to_owned(), number, path: RepoPath::from("r.json"), result: Some(result) }
    }

    fn history(reports: &[StepAttempt]) -> AttemptHistory {
        AttemptHistory::from_reports(reports.iter().rev())
    }

    #[test]
    fn limits_and_interruptions_do_not_count() {
        use AttemptCause::{Interrupted, MissingReport, Timeout, UsageLimit};
        use AttemptOutcome::{Blocked, Failure};
        let all = history(&[
            report(1, Failure, None),
            report(2, Blocked, Some(UsageLimit)),
            report(3, Blocked, Some(Interrupted)),
            report(4, Failure, Some(MissingReport)),
            report(5, Failure, Some(Timeout)),
        ]);
        assert_eq!((all.last, all.counted, all.waiting_until), (5, 3, None));
        assert!(all.may_try(3) && !all.may_try(2));
        let attempts: Vec<u64> = all.failures.iter().map(|failure| failure.attempt).collect();
        assert_eq!(attempts, [1, 4, 5]);
    }

    #[test]
    fn an_invalid_report_counts_and_reopening_resets() {
        use AttemptOutcome::{Failure, Success};
        let mut invalid = report(1, Failure, None);
        invalid.result = None;
        let before = history(&[invalid.clone(), report(2, Success, None)]);
        assert_eq!((before.counted, before.failures.len()), (2, 1));
        let after = history(&[invalid, report(2, Failure, None), report(3, Failure, Some(AttemptCause::Reopened))]);
        assert_eq!((after.last, after.counted, after.failures.len()), (3, 0, 0));
    }

    #[test]
    fn a_pull_request_waits_until_the_step_is_reopened() {
        let proposal = report(1, AttemptOutcome::Blocked, Some(AttemptCause::PullRequest));
        let failure = report(2, AttemptOutcome::Failure, None);
        let reopened = report(3, AttemptOutcome::Blocked, Some(AttemptCause::Reopened));
        assert_eq!(history(&[proposal.clone(), failure.clone()]).proposed, Some(1));
        assert_eq!(history(&[proposal, failure, reopened]).proposed, None);
    }

    #[test]
    fn only_a_limit_in_the_last_report_makes_the_step_wait() {
        let limit = |number| report(number, AttemptOutcome::Blocked, Some(AttemptCause::UsageLimit));
        assert!(history(&[limit(1)]).waiting_until.is_some());
        assert_eq!(history(&[limit(1), report(2, AttemptOutcome::Failure, None)]).waiting_until, None);
    }

    #[test]
    fn waits_grow_to_a_bound_unless_the_tool_names_the_end() {
        let now = Timestamp::parse("2026-01-01T09:00:00Z").unwrap();
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let limit = |number| report(number, AttemptOutcome::Blocked, Some(AttemptCause::UsageLimit));
        let limits = |count| history(&(1..=count).map(limit).collect::<Vec<_>>());
        assert_eq!(limits(0).next_try(now, None), at("2026-01-01T09:15:00Z"));
        assert_eq!(limits(2).next_try(now, None), at("2026-01-01T10:00:00Z"));
        assert_eq!(limits(40).next_try(now, None), at("2026-01-01T14:00:00Z"));
        assert_eq!(limits(2).next_try(now, Some(at("2026-01-02T00:00:00Z"))), at("2026-01-02T00:00:10Z"));
        // It should accept work now.
        assert_eq!(limits(0).next_try(now, Some(now)), at("2026-01-01T09:01:00Z"));
        assert_eq!(limits(3).next_try(now, Some(now)), at("2026-01-01T09:08:00Z"));
    }
}
