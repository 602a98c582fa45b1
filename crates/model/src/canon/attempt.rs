//! Attempts at a plan's steps and their results.

use super::timestamp::Timestamp;
use canonry_text::node::Node;
use canonry_text::{RepoPath, Source, Span};
use std::sync::Arc;

/// Result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    Success,
    /// The step needs another attempt.
    Failure,
    /// The step waits for something.
    Blocked,
}

/// An attempt at a step.
#[derive(Clone, Debug)]
pub struct StepAttempt {
    pub step: String,
    /// The number of the attempt, from 1.
    pub number: u64,
    /// The report's path.
    pub path: RepoPath,
    /// The result; `None` if the report is invalid.
    pub result: Option<AttemptResult>,
}

impl StepAttempt {
    /// The order of attempts: by step, number and time. The path makes it total.
    pub(super) fn order(&self) -> (&str, u64, Option<Timestamp>, &RepoPath) {
        let time = self.result.as_ref().and_then(|result| result.timestamp);
        (&self.step, self.number, time, &self.path)
    }
}

/// Why an attempt that did not succeed ended, if the worker's own report does not say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptCause {
    /// The worker ended without a report.
    MissingReport,
    /// The worker took too long.
    Timeout,
    /// The worker's tool refused to work until its usage limit is reset. The attempt does not count.
    UsageLimit,
    /// The run was stopped while the worker ran. The attempt does not count.
    Interrupted,
    /// The worker reported success, and a check of it failed.
    Unverified,
    /// The work conflicts with other work.
    Conflict,
    /// The work was verified, and waits for a person to merge its pull request.
    PullRequest,
    /// A person made the step pending again. Earlier attempts no longer count.
    Reopened,
}

impl AttemptCause {
    pub const ALL: [Self; 8] = [
        Self::MissingReport,
        Self::Timeout,
        Self::UsageLimit,
        Self::Interrupted,
        Self::Unverified,
        Self::Conflict,
        Self::PullRequest,
        Self::Reopened,
    ];

    /// The cause as a report spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MissingReport => "missing_report",
            Self::Timeout => "timeout",
            Self::UsageLimit => "usage_limit",
            Self::Interrupted => "interrupted",
            Self::Unverified => "unverified",
            Self::Conflict => "conflict",
            Self::PullRequest => "pull_request",
            Self::Reopened => "reopened",
        }
    }

    /// The cause with this spelling.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.as_str() == word)
    }
}

/// The result in a valid report.
#[derive(Clone, Debug)]
pub struct AttemptResult {
    pub outcome: AttemptOutcome,
    pub source: Arc<Source>,
    /// The value that decides the outcome.
    pub span: Span,
    pub cause: Option<AttemptCause>,
    /// When the tool accepts work again, after a usage limit.
    pub waiting_until: Option<Timestamp>,
    pub timestamp: Option<Timestamp>,
    pub details: String,
    pub error: Option<String>,
    pub owner: Option<String>,
    /// The commit with the work.
    pub commit: Option<String>,
    /// The commit that the work was forked from.
    pub base: Option<String>,
}

impl AttemptResult {
    /// Reads the result of a valid report.
    pub fn from_report(root: &Node, source: &Arc<Source>) -> Option<Self> {
        let outcome = root.get("outcome")?;
        let passed = root.get("passed");
        let is_disproved = passed.and_then(|passed| passed.as_scalar()).is_some_and(|scalar| scalar.text == "false");
        let (outcome, node) = match outcome.as_str()? {
            // Failed criteria override the worker's own assessment.
            "success" if is_disproved => (AttemptOutcome::Failure, passed?),
            "success" => (AttemptOutcome::Success, outcome),
            "blocked" => (AttemptOutcome::Blocked, outcome),
            _ => (AttemptOutcome::Failure, outcome),
        };
        let text = |key: &str| root.get(key).and_then(Node::as_str).map(str::to_owned);
        let time = |key: &str| text(key).and_then(|text| Timestamp::parse(&text));
        Some(Self {
            outcome,
            source: Arc::clone(source),
            span: node.span,
            cause: text("cause").and_then(|word| AttemptCause::from_word(&word)),
            waiting_until: time("waiting_until"),
            timestamp: time("timestamp"),
            details: text("details").unwrap_or_default(),
            error: text("error"),
            owner: text("owner"),
            commit: text("commit"),
            base: text("base"),
        })
    }

    /// Whether the attempt counts toward the bound on attempts.
    pub fn counts(&self) -> bool {
        !matches!(self.cause, Some(AttemptCause::UsageLimit | AttemptCause::Interrupted | AttemptCause::Reopened))
    }
}
