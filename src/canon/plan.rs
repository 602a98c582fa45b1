//! Plans: steps that depend on each other.

use super::attempt::{AttemptResult, StepAttempt};
use super::plan_proof::is_surely_valid;
use super::schema::{SchemaKind, Schemas, Violation};
use super::{Blob, blob::DocumentError};
use crate::syntax::node::{Node, SpannedText};
use crate::syntax::yaml::{self, ParsedDocument, YamlError};
use crate::syntax::{RepoPath, Source, Span};
use rayon::prelude::*;
use std::sync::Arc;

/// The fewest steps that are worth another thread.
const STEPS_PER_TASK: usize = 500;

/// A parsed plan file.
#[derive(Debug)]
pub struct Plan {
    pub path: RepoPath,
    pub document: Result<PlanDocument, DocumentError>,
    /// The reports on its steps, sorted by step, number, time and path. Set by [`Self::with_attempts`].
    pub attempts: Vec<StepAttempt>,
}

/// A plan file with its text.
#[derive(Debug)]
pub struct PlanDocument {
    pub source: Arc<Source>,
    /// The YAML, or its first syntax error.
    pub yaml: Result<ParsedDocument, YamlError>,
    /// Violations of the plan schemas.
    pub violations: Vec<Violation>,
    /// The steps in file order. Values of the wrong type are left out.
    pub steps: Vec<PlanStep>,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    /// The whole step.
    pub span: Span,
    pub id: Option<SpannedText>,
    /// What the step is about; empty if nothing says it.
    pub description: String,
    /// The role that executes the step.
    pub owner: Option<SpannedText>,
    /// The status; pending by default.
    pub status: StepStatus,
    /// The status value, if it is written.
    pub status_span: Option<Span>,
    /// The ids of the steps that must be complete first.
    pub deps: Vec<SpannedText>,
    /// Whether it may run in parallel with other steps.
    pub parallel: bool,
    /// Whether it has acceptance criteria.
    pub has_criteria: bool,
    /// The acceptance criteria.
    pub criteria: Vec<String>,
    pub commands: Vec<SpannedText>,
    /// The files that it writes.
    pub files: Vec<SpannedText>,
    /// Whether a person must approve the step before it starts.
    pub approval: bool,
    /// The most lines that the step may add and remove together.
    pub max_diff_lines: Option<u64>,
    pub risk_notes: Vec<String>,
}

/// The status of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepStatus {
    Pending,
    InProgress,
    Complete,
    Blocked,
    /// Not a valid status.
    Unknown,
}

impl Plan {
    /// Parses a plan.
    pub fn parse(path: RepoPath, blob: Blob, schemas: &Schemas) -> Self {
        let document = blob.into_source(&path).map(|source| PlanDocument::parse(source, schemas));
        Self { path, document, attempts: Vec::new() }
    }

    /// Adds the reports on its steps.
    #[must_use]
    pub fn with_attempts(mut self, mut attempts: Vec<StepAttempt>) -> Self {
        attempts.sort_by(|a, b| a.order().cmp(&b.order()));
        self.attempts = attempts;
        self
    }

    /// All attempts at a step, the last one last.
    pub fn attempts_at(&self, step: &PlanStep) -> impl DoubleEndedIterator<Item = &StepAttempt> {
        let id = step.id_text();
        let start = self.attempts.partition_point(|attempt| attempt.step.as_str() < id);
        let rest = self.attempts.get(start..).unwrap_or_default();
        let count = rest.partition_point(|attempt| attempt.step == id);
        rest.get(..count).unwrap_or_default().iter()
    }

    /// The last valid report on a step, with its attempt.
    pub fn last_report(&self, step: &PlanStep) -> Option<(&StepAttempt, &AttemptResult)> {
        self.attempts_at(step).rev().find_map(|attempt| Some((attempt, attempt.result.as_ref()?)))
    }
}

impl PlanDocument {
    fn parse(source: Arc<Source>, schemas: &Schemas) -> Self {
        let yaml = read(source.text());
        let root = yaml.as_ref().ok().map(|document| &document.root);
        let violations = root.map_or_else(Vec::new, |root| violations(root, schemas));
        let items = root.and_then(|root| root.get("steps")).and_then(Node::as_sequence).unwrap_or_default();
        let items = items.par_iter().with_min_len(STEPS_PER_TASK);
        let steps = items.filter(|item| item.as_mapping().is_some()).map(PlanStep::from_node).collect();
        Self { yaml, violations, steps, source }
    }
}

fn violations(root: &Node, schemas: &Schemas) -> Vec<Violation> {
    match !schemas.has_team(SchemaKind::Plan) && is_surely_valid(root) {
        true => Vec::new(),
        false => schemas.validate(SchemaKind::Plan, root),
    }
}

fn read(text: &str) -> Result<ParsedDocument, YamlError> {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    yaml::parse_large(&text[start..], start)
}

impl PlanStep {
    fn from_node(node: &Node) -> Self {
        let text = |key: &str| node.get(key).and_then(Node::spanned_text);
        let texts = |key: &str| {
            let items = node.get(key).and_then(Node::as_sequence).unwrap_or_default();
            items.iter().filter_map(Node::spanned_text).collect::<Vec<_>>()
        };
        // A text, or a list of texts.
        let prose = |key: &str| match text(key) {
            Some(one) => Some(one.text).filter(|text| !text.trim().is_empty()).into_iter().collect(),
            None => texts(key).into_iter().map(|one| one.text).collect(),
        };
        let is_true = |key: &str| text(key).is_some_and(|value| value.text.eq_ignore_ascii_case("true"));
        let status = text("status");
        Self {
            span: node.span,
            id: text("id"),
            description: text("description").map(|description| description.text).unwrap_or_default(),
            owner: text("owner"),
            status: status
                .as_ref()
                .map_or(StepStatus::Pending, |s| StepStatus::from_word(&s.text).unwrap_or(StepStatus::Unknown)),
            status_span: status.map(|s| s.span),
            deps: texts("deps"),
            parallel: is_true("parallel"),
            has_criteria: node.get("criteria").is_some_and(holds_something),
            criteria: prose("criteria"),
            commands: texts("commands"),
            files: texts("files"),
            approval: is_true("approval"),
            max_diff_lines: text("max_diff_lines").and_then(|lines| lines.text.parse().ok()),
            risk_notes: prose("risk_notes"),
        }
    }

    /// The id, or an empty string.
    pub fn id_text(&self) -> &str {
        self.id.as_ref().map_or("", |id| &id.text)
    }

    /// The span to report for the whole step: its id, or its first byte.
    pub fn head(&self) -> Span {
        self.id.as_ref().map_or(Span::new(self.span.offset, self.span.offset), |id| id.span)
    }
}

impl StepStatus {
    /// The valid statuses.
    pub const VALID: [Self; 4] = [Self::Pending, Self::InProgress, Self::Complete, Self::Blocked];

    /// The status as a plan spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Complete => "complete",
            Self::Blocked => "blocked",
            Self::Unknown => "unknown",
        }
    }

    /// The valid status with this spelling.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::VALID.into_iter().find(|status| status.as_str() == word)
    }
}

fn holds_something(node: &Node) -> bool {
    match (node.as_scalar(), node.as_sequence()) {
        (Some(scalar), _) => !scalar.text.trim().is_empty(),
        (_, Some(items)) => !items.is_empty(),
        _ => false,
    }
}
