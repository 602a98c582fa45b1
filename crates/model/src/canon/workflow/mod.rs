//! Workflows: steps that lead to each other, and gates at which a person decides.
//!
//! All three dialects are parsed into the same model, so that other code does not depend on how a workflow is written.

mod dialect;
mod evaluation;
mod model;
mod parse;
pub mod references;
mod selection;
mod setting;
mod template_contract;

pub use dialect::{ForeignKind, NotAWorkflow, WorkflowDialect};
pub use evaluation::{EvaluatorLoop, Threshold};
pub use model::{
    END, FanOut, OutputField, Route, StepInput, StepOutput, WorkflowDefinition, WorkflowGate, WorkflowStep,
};
pub use references::{ReferenceKind, WorkflowFiles, is_template_path};
pub use selection::{BestBy, Selection};

use super::blob::DocumentError;
use super::schema::{SchemaKind, Schemas, Violation};
use super::{Blob, Layout};
use canonry_text::node::Node;
use canonry_text::yaml::{self, ParsedDocument, YamlError};
use canonry_text::{RepoPath, Source};
use std::sync::Arc;

/// A parsed workflow file.
#[derive(Debug)]
pub struct Workflow {
    pub path: RepoPath,
    pub document: Result<WorkflowDocument, DocumentError>,
    /// The previous version: that of the last commit for a file in the work tree or the index.
    pub earlier: Option<ParsedDocument>,
    /// The files that the workflow names, and its parameters.
    pub files: WorkflowFiles,
}

/// A workflow file with its text.
#[derive(Debug)]
pub struct WorkflowDocument {
    pub source: Arc<Source>,
    /// The YAML, or its first syntax error.
    pub yaml: Result<ParsedDocument, YamlError>,
    /// Violations of the workflow schemas; empty if the file is not a workflow.
    pub violations: Vec<Violation>,
    pub content: WorkflowContent,
}

/// Content of a workflow file.
#[derive(Debug)]
pub enum WorkflowContent {
    /// Invalid YAML.
    Nothing,
    /// Something other than an agent workflow.
    Foreign(NotAWorkflow),
    Definition(WorkflowDefinition),
}

impl Workflow {
    /// Parses a workflow file.
    pub fn parse(path: RepoPath, blob: Blob, schemas: &Schemas) -> Self {
        let document = blob.into_source(&path).map(|source| WorkflowDocument::parse(source, schemas));
        Self { path, document, earlier: None, files: WorkflowFiles::default() }
    }

    /// Adds the files that the workflow names, and the outputs that its templates declare.
    #[must_use]
    pub fn with_files(mut self, layout: &Layout, read: &dyn Fn(&RepoPath) -> Blob) -> Self {
        if let Ok(document) = &mut self.document
            && let WorkflowContent::Definition(definition) = &mut document.content
        {
            self.files = WorkflowFiles::load(definition, &self.path, layout, read);
            definition.read_contracts(&self.files);
        }
        self
    }

    /// Adds the previous version. An unreadable one is ignored.
    #[must_use]
    pub fn with_earlier(mut self, blob: Blob) -> Self {
        if let Blob::Bytes(bytes) = blob {
            self.earlier = String::from_utf8(bytes).ok().and_then(|text| yaml::parse_file(&text).ok());
        }
        self
    }
}

impl WorkflowDocument {
    fn parse(source: Arc<Source>, schemas: &Schemas) -> Self {
        let yaml = yaml::parse_file(source.text());
        let content = yaml.as_ref().map_or(WorkflowContent::Nothing, |yaml| content_of(&yaml.root));
        let violations = match (&content, &yaml) {
            (WorkflowContent::Definition(_), Ok(yaml)) => schemas.validate(SchemaKind::Workflow, &yaml.root),
            _ => Vec::new(),
        };
        Self { source, yaml, violations, content }
    }

    /// The workflow, if the file contains one.
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

/// Keys of which a workflow has one: what it does.
const CONTENT_KEYS: [&str; 3] = ["steps", "phases", "plan"];

/// Whether the keys of a text are those of a workflow. Used for files whose name does not decide. Other programs also have files
/// with a version and a name, so these are not enough.
pub fn is_workflow_text(text: &str) -> bool {
    yaml::parse_file(text).is_ok_and(|document| {
        let root = &document.root;
        CONTENT_KEYS.iter().any(|key| root.get(key).is_some()) && WorkflowDialect::detect(root).is_ok()
    })
}

#[cfg(test)]
mod tests;
