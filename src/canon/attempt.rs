//! What the reports say of the steps of a plan.

use crate::syntax::yaml_node::Node;
use crate::syntax::{RepoPath, Source, Span};
use std::sync::Arc;

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The step is done.
    Success,
    /// It is to be tried again.
    Failure,
    /// It waits for something.
    Blocked,
}

/// One report on a step of a plan.
#[derive(Clone, Debug)]
pub struct StepAttempt {
    /// The step's id.
    pub step: String,
    /// Which attempt, from 1.
    pub number: u64,
    /// Where the report lies.
    pub path: RepoPath,
    /// What it says; `None` where it is not valid, and counts for nothing.
    pub result: Option<AttemptResult>,
}

/// What a valid report says, and where.
#[derive(Clone, Debug)]
pub struct AttemptResult {
    /// How the attempt ended.
    pub outcome: AttemptOutcome,
    /// The report's text.
    pub source: Arc<Source>,
    /// Where it says so.
    pub span: Span,
}

impl AttemptResult {
    /// Of a report that is valid.
    pub fn from_report(root: &Node, source: &Arc<Source>) -> Option<Self> {
        let outcome = root.get("outcome")?;
        let passed = root.get("passed");
        let is_disproved = passed.and_then(|passed| passed.as_scalar()).is_some_and(|scalar| scalar.text == "false");
        let (outcome, node) = match outcome.as_str()? {
            // The criteria decide, whatever the worker thinks of it.
            "success" if is_disproved => (AttemptOutcome::Failure, passed?),
            "success" => (AttemptOutcome::Success, outcome),
            "blocked" => (AttemptOutcome::Blocked, outcome),
            _ => (AttemptOutcome::Failure, outcome),
        };
        Some(Self { outcome, source: Arc::clone(source), span: node.span })
    }
}
