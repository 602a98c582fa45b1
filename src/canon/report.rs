//! Reports on the attempts at a plan's steps.

use super::blob::DocumentError;
use super::schema::{SchemaKind, Schemas, Violation};
use super::timestamp::Timestamp;
use super::{Blob, Layout};
use crate::syntax::json;
use crate::syntax::json::JsonError;
use crate::syntax::node::{Node, SpannedText};
use crate::syntax::yaml::ParsedDocument;
use crate::syntax::{RepoPath, Source, Span};
use gix::bstr::ByteSlice;
use std::sync::Arc;

/// A parsed report.
#[derive(Debug)]
pub struct Report {
    pub path: RepoPath,
    /// The parts of its path; `None` if the path is not `reports/<plan>/<step>.<attempt>.json`.
    pub name: Option<ReportName>,
    pub document: Result<ReportDocument, DocumentError>,
    /// The ids of the steps in its plan, if the plan can be read.
    pub steps: Option<Vec<String>>,
}

/// The parts of a report's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportName {
    /// The plan's id, which is the name of its folder.
    pub plan: String,
    pub step: String,
    /// The number of the attempt, from 1.
    pub attempt: u64,
}

/// A report with its text.
#[derive(Debug)]
pub struct ReportDocument {
    pub source: Arc<Source>,
    /// The JSON, or its first syntax error.
    pub json: Result<ParsedDocument, JsonError>,
    /// Violations of the report schemas.
    pub violations: Vec<Violation>,
    /// `step_id`, if it is a string.
    pub step: Option<SpannedText>,
    /// `attempt`, if it is a number.
    pub attempt: Option<SpannedText>,
}

impl ReportName {
    /// Parses a path below the reports folder.
    pub fn from_path(path: &RepoPath, layout: &Layout) -> Option<Self> {
        let mut below = path.below(&layout.reports())?.split_str("/");
        let (plan, file, None) = (below.next()?, below.next()?, below.next()) else { return None };
        let (step, attempt) = file.to_str().ok()?.strip_suffix(".json")?.rsplit_once('.')?;
        let is_number = attempt.bytes().all(|b| b.is_ascii_digit()) && !attempt.starts_with('0') && !step.is_empty();
        let attempt = attempt.parse().ok().filter(|_| is_number)?;
        Some(Self { plan: plan.to_str().ok()?.to_owned(), step: step.to_owned(), attempt })
    }
}

impl Report {
    /// Parses a report.
    pub fn parse(path: RepoPath, blob: Blob, schemas: &Schemas, layout: &Layout) -> Self {
        let document = blob.into_source(&path).map(|source| ReportDocument::parse(source, schemas));
        Self { name: ReportName::from_path(&path, layout), path, document, steps: None }
    }

    /// Adds the step ids of its plan.
    #[must_use]
    pub fn among(mut self, steps: Option<Vec<String>>) -> Self {
        self.steps = steps;
        self
    }

    /// The attempt that it reports; `None` if its path does not name one.
    pub fn attempt(&self) -> Option<StepAttempt> {
        let name = self.name.as_ref()?;
        let valid = self.document.as_ref().ok().filter(|document| document.is_valid(name));
        let result =
            valid.and_then(|document| AttemptResult::from_report(&document.json.as_ref().ok()?.root, &document.source));
        Some(StepAttempt { step: name.step.clone(), number: name.attempt, path: self.path.clone(), result })
    }
}

impl ReportDocument {
    /// Whether the report is valid, and about the step and attempt in its path.
    fn is_valid(&self, name: &ReportName) -> bool {
        let is_same = self.step.as_ref().is_some_and(|step| step.text == name.step)
            && self.attempt.as_ref().is_none_or(|attempt| attempt.text == name.attempt.to_string());
        let is_read = self.json.as_ref().is_ok_and(|json| json.duplicates.is_empty());
        is_same && is_read && self.violations.is_empty()
    }

    fn parse(source: Arc<Source>, schemas: &Schemas) -> Self {
        let json = json::parse(source.text(), 0);
        let root = json.as_ref().ok().map(|document| &document.root);
        let violations = root.map_or_else(Vec::new, |root| schemas.validate(SchemaKind::Report, root));
        let text =
            |key: &str, is_wanted: fn(&Node) -> bool| root?.get(key).filter(|node| is_wanted(node))?.spanned_text();
        let step = text("step_id", |node| node.as_str().is_some());
        let attempt = text("attempt", |node| node.kind_name() == "number");
        Self { json, violations, step, attempt, source }
    }
}

/// How an attempt ended.
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
    /// A person made the step pending again. Earlier attempts no longer count.
    Reopened,
}

impl AttemptCause {
    pub const ALL: [Self; 7] = [
        Self::MissingReport,
        Self::Timeout,
        Self::UsageLimit,
        Self::Interrupted,
        Self::Unverified,
        Self::Conflict,
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
        })
    }

    /// Whether the attempt counts toward the bound on attempts.
    pub fn counts(&self) -> bool {
        !matches!(self.cause, Some(AttemptCause::UsageLimit | AttemptCause::Interrupted | AttemptCause::Reopened))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_report_paths() {
        let of = |path: &str| ReportName::from_path(&RepoPath::from(path), &Layout::default());
        let name = |step: &str, attempt| Some(ReportName { plan: "login".to_owned(), step: step.to_owned(), attempt });
        for (path, want) in [
            ("agent/reports/login/api.1.json", name("api", 1)),
            ("agent/reports/login/v1.2.json", name("v1", 2)),
            ("agent/reports/login/a.b.30.json", name("a.b", 30)),
            ("agent/reports/login/api.json", None),
            ("agent/reports/login/api.0.json", None),
            ("agent/reports/login/api.01.json", None),
            ("agent/reports/login/api.+1.json", None),
            ("agent/reports/login/.1.json", None),
            ("agent/reports/api.1.json", None),
            ("agent/reports/login/old/api.1.json", None),
            ("reports/login/api.1.json", None),
        ] {
            assert_eq!(of(path), want, "{path}");
        }
    }
}
