//! Plans: steps that depend on each other.

use super::approval::Approval;
use super::attempt::{AttemptResult, StepAttempt};
use super::plan_graph::PlanGraph;
pub use super::plan_step::{PlanStep, StepStatus};
use super::schema::{SchemaKind, Schemas, Violation};
use super::{Blob, blob::DocumentError};
use canonry_text::node::Node;
use canonry_text::yaml::{self, ParsedDocument, YamlError};
use canonry_text::{RepoPath, Source};
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// The fewest steps that are worth another thread.
const STEPS_PER_TASK: usize = 500;

/// A parsed plan file.
#[derive(Debug)]
pub struct Plan {
    pub path: RepoPath,
    /// Shared by those who load a plan again and again.
    pub document: Result<Arc<PlanDocument>, DocumentError>,
    /// The reports on its steps, sorted by step, number, time and path. Set by [`Self::with_attempts`].
    pub attempts: Vec<Arc<StepAttempt>>,
    /// The approvals of its steps. Set by [`Self::with_approvals`].
    pub approvals: Vec<Approval>,
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
    /// Built for the first rule that asks: several do.
    pub(super) graph: OnceLock<Arc<PlanGraph>>,
}

impl Plan {
    /// Parses a plan.
    pub fn parse(path: RepoPath, blob: Blob, schemas: &Schemas) -> Self {
        let document = blob.into_source(&path).map(|source| Arc::new(PlanDocument::parse(source, schemas)));
        Self { path, document, attempts: Vec::new(), approvals: Vec::new() }
    }

    /// A plan whose file was parsed before.
    pub fn from_document(path: RepoPath, document: Arc<PlanDocument>) -> Self {
        Self { path, document: Ok(document), attempts: Vec::new(), approvals: Vec::new() }
    }

    /// Adds the reports on its steps.
    #[must_use]
    pub fn with_attempts(mut self, mut attempts: Vec<Arc<StepAttempt>>) -> Self {
        attempts.sort_by(|a, b| a.order().cmp(&b.order()));
        self.attempts = attempts;
        self
    }

    /// Adds the approvals of its steps, which `read` finds by the step's id.
    #[must_use]
    pub fn with_approvals(mut self, read: impl Fn(&str) -> Option<Approval>) -> Self {
        let steps = self.document.as_ref().map_or(&[][..], |document| &document.steps).iter();
        self.approvals = steps.filter(|step| step.approval).filter_map(|step| read(step.id_text())).collect();
        self
    }

    /// All attempts at a step, the last one last.
    pub fn attempts_at(&self, step: &PlanStep) -> impl DoubleEndedIterator<Item = &StepAttempt> {
        let id = step.id_text();
        let start = self.attempts.partition_point(|attempt| attempt.step.as_str() < id);
        let rest = self.attempts.get(start..).unwrap_or_default();
        let count = rest.partition_point(|attempt| attempt.step == id);
        rest.get(..count).unwrap_or_default().iter().map(Arc::as_ref)
    }

    /// The last valid report on a step, with its attempt.
    pub fn last_report(&self, step: &PlanStep) -> Option<(&StepAttempt, &AttemptResult)> {
        self.attempts_at(step).rev().find_map(|attempt| Some((attempt, attempt.result.as_ref()?)))
    }
}

impl PlanDocument {
    fn parse(source: Arc<Source>, schemas: &Schemas) -> Self {
        let yaml = yaml::parse_file(source.text());
        Self::from_yaml(source, yaml, schemas)
    }

    /// A plan whose YAML was parsed before.
    pub fn from_yaml(source: Arc<Source>, yaml: Result<ParsedDocument, YamlError>, schemas: &Schemas) -> Self {
        let root = yaml.as_ref().ok().map(|document| &document.root);
        let violations = root.map_or_else(Vec::new, |root| schemas.validate(SchemaKind::Plan, root));
        let items = root.and_then(|root| root.get("steps")).and_then(Node::as_sequence).unwrap_or_default();
        let items = items.par_iter().with_min_len(STEPS_PER_TASK);
        let steps = items.filter(|item| item.as_mapping().is_some()).map(PlanStep::from_node).collect();
        Self { yaml, violations, steps, source, graph: OnceLock::new() }
    }

    /// The dependencies of the steps.
    pub fn graph(&self) -> &PlanGraph {
        self.graph.get_or_init(|| Arc::new(PlanGraph::new(&self.steps)))
    }
}
