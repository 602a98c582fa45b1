//! A workflow: steps that lead to each other, and gates at which a person decides.
//!
//! Three ways of writing one are read, and all become the same routes, so that whoever asks where a step leads need not
//! know how it was written.

mod dialect;
mod model;
mod parse;

pub use dialect::{ForeignKind, NotAWorkflow, WorkflowDialect};
pub use model::{
    END, FanOut, GateOption, Idempotency, OutputField, ParallelChild, RetryPolicy, Route, StepContext, StepInput,
    StepOutput, WorkflowDefinition, WorkflowGate, WorkflowStep,
};

use super::Blob;
use super::blob::DocumentError;
use super::schema::{SchemaKind, Schemas, Violation};
use crate::syntax::node::Node;
use crate::syntax::yaml::{self, ParsedDocument, YamlError};
use crate::syntax::{RepoPath, Source};
use std::sync::Arc;

/// A workflow file as far as it could be read.
#[derive(Debug)]
pub struct Workflow {
    /// Where it lies.
    pub path: RepoPath,
    /// What it holds.
    pub document: Result<WorkflowDocument, DocumentError>,
    /// What the version before it held: the one in the last commit, where it lies in the work tree or the index.
    pub earlier: Option<ParsedDocument>,
}

/// The text of a workflow.
#[derive(Debug)]
pub struct WorkflowDocument {
    /// The text.
    pub source: Arc<Source>,
    /// The YAML, or the first place where it is none.
    pub yaml: Result<ParsedDocument, YamlError>,
    /// Where it breaks the workflow schemas; nothing where it is no workflow.
    pub violations: Vec<Violation>,
    /// What the YAML means.
    pub content: WorkflowContent,
}

/// What a workflow file's YAML means.
#[derive(Debug)]
pub enum WorkflowContent {
    /// It is no YAML.
    Nothing,
    /// It is something else than a workflow of agents.
    Foreign(NotAWorkflow),
    /// A workflow.
    Definition(WorkflowDefinition),
}

impl Workflow {
    /// Reads a workflow.
    pub fn parse(path: RepoPath, blob: Blob, schemas: &Schemas) -> Self {
        let document = blob.into_source(&path).map(|source| WorkflowDocument::parse(source, schemas));
        Self { path, document, earlier: None }
    }

    /// Adds the version before this one. One that cannot be read is as good as none.
    #[must_use]
    pub fn with_earlier(mut self, blob: Blob) -> Self {
        if let Blob::Bytes(bytes) = blob {
            self.earlier = String::from_utf8(bytes).ok().and_then(|text| read_text(&text).ok());
        }
        self
    }
}

impl WorkflowDocument {
    fn parse(source: Arc<Source>, schemas: &Schemas) -> Self {
        let yaml = read_text(source.text());
        let content = yaml.as_ref().map_or(WorkflowContent::Nothing, |yaml| content_of(&yaml.root));
        let violations = match (&content, &yaml) {
            (WorkflowContent::Definition(_), Ok(yaml)) => schemas.validate(SchemaKind::Workflow, &yaml.root),
            _ => Vec::new(),
        };
        Self { source, yaml, violations, content }
    }

    /// The workflow, where it is one.
    pub fn definition(&self) -> Option<&WorkflowDefinition> {
        match &self.content {
            WorkflowContent::Definition(definition) => Some(definition),
            WorkflowContent::Nothing | WorkflowContent::Foreign(_) => None,
        }
    }
}

fn content_of(root: &Node) -> WorkflowContent {
    match WorkflowDialect::detect(root) {
        Ok(dialect) => WorkflowContent::Definition(parse::definition(root, dialect)),
        Err(foreign) => WorkflowContent::Foreign(foreign),
    }
}

fn read_text(text: &str) -> Result<ParsedDocument, YamlError> {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    yaml::parse(&text[start..], start)
}

/// Whether a text is a workflow by its keys, for a file whose name does not say what it is.
pub fn is_workflow_text(text: &str) -> bool {
    read_text(text).is_ok_and(|document| WorkflowDialect::detect(&document.root).is_ok())
}

#[cfg(test)]
mod tests;
