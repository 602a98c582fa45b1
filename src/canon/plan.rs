//! Plans: steps that depend on each other.

use super::report::StepAttempt;
use super::schema::{SchemaKind, Schemas, Violation};
use super::{Blob, blob::DocumentError};
use crate::syntax::node::{Node, SpannedText};
use crate::syntax::yaml::{self, ParsedDocument, YamlError};
use crate::syntax::{RepoPath, Source, Span};
use std::sync::Arc;

/// A parsed plan file.
#[derive(Debug)]
pub struct Plan {
    pub path: RepoPath,
    pub document: Result<PlanDocument, DocumentError>,
    /// The reports on its steps, in no particular order.
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
    pub commands: Vec<SpannedText>,
    /// The files that it writes.
    pub files: Vec<SpannedText>,
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
    pub fn with_attempts(mut self, attempts: Vec<StepAttempt>) -> Self {
        self.attempts = attempts;
        self
    }
}

impl PlanDocument {
    fn parse(source: Arc<Source>, schemas: &Schemas) -> Self {
        let yaml = read(source.text());
        let root = yaml.as_ref().ok().map(|document| &document.root);
        let violations = root.map_or_else(Vec::new, |root| schemas.validate(SchemaKind::Plan, root));
        let items = root.and_then(|root| root.get("steps")).and_then(Node::as_sequence).unwrap_or_default();
        let steps = items.iter().filter(|item| item.as_mapping().is_some()).map(PlanStep::from_node).collect();
        Self { yaml, violations, steps, source }
    }
}

fn read(text: &str) -> Result<ParsedDocument, YamlError> {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    yaml::parse(&text[start..], start)
}

impl PlanStep {
    fn from_node(node: &Node) -> Self {
        let text = |key: &str| node.get(key).and_then(Node::spanned_text);
        let texts = |key: &str| {
            let items = node.get(key).and_then(Node::as_sequence).unwrap_or_default();
            items.iter().filter_map(Node::spanned_text).collect::<Vec<_>>()
        };
        let status = text("status");
        Self {
            span: node.span,
            id: text("id"),
            status: status.as_ref().map_or(StepStatus::Pending, |s| StepStatus::parse(&s.text)),
            status_span: status.map(|s| s.span),
            deps: texts("deps"),
            parallel: text("parallel").is_some_and(|p| p.text.eq_ignore_ascii_case("true")),
            has_criteria: node.get("criteria").is_some_and(holds_something),
            commands: texts("commands"),
            files: texts("files"),
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
    fn parse(text: &str) -> Self {
        match text {
            "pending" => Self::Pending,
            "in_progress" => Self::InProgress,
            "complete" => Self::Complete,
            "blocked" => Self::Blocked,
            _ => Self::Unknown,
        }
    }
}

fn holds_something(node: &Node) -> bool {
    match (node.as_scalar(), node.as_sequence()) {
        (Some(scalar), _) => !scalar.text.trim().is_empty(),
        (_, Some(items)) => !items.is_empty(),
        _ => false,
    }
}
