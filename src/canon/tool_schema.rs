//! Tool schemas, `protocols/tool_schemas/*.json`: required arguments, preconditions and forbidden targets of a tool.
//!
//! There are two forms: a plain record (`tool`, `required_args`, `preconditions`, …, for the whole tool or per entry
//! of `operations`), and a JSON Schema of the arguments.

use super::schema::{self, SchemaError};
use super::{Blob, blob::DocumentError};
use crate::syntax::json::{self, JsonError};
use crate::syntax::node::Node;
use crate::syntax::yaml::ParsedDocument;
use crate::syntax::{RepoPath, Source, Span};
use jsonschema::Validator;
use std::sync::Arc;

/// A parsed tool schema.
#[derive(Debug)]
pub struct ToolSchema {
    pub path: RepoPath,
    pub document: Result<ToolDocument, DocumentError>,
}

/// A tool schema with its text.
#[derive(Debug)]
pub struct ToolDocument {
    pub source: Arc<Source>,
    /// The JSON, or its first syntax error.
    pub json: Result<ParsedDocument, JsonError>,
    /// The compiled JSON Schema, if the document is a valid one.
    pub schema: Option<Arc<Validator>>,
    /// Why the JSON Schema is invalid, if it is one.
    pub flaw: Option<(Span, String)>,
}

impl ToolSchema {
    /// Parses a tool schema.
    pub fn parse(path: RepoPath, blob: Blob) -> Self {
        let document = blob.into_source(&path).map(ToolDocument::parse);
        Self { path, document }
    }
}

impl ToolDocument {
    fn parse(source: Arc<Source>) -> Self {
        let json = json::parse(source.text(), 0);
        let root = json.as_ref().ok().map(|document| &document.root);
        let (schema, flaw) = match root.filter(|root| is_json_schema(root)).map(compile) {
            None => (None, None),
            Some(Ok(schema)) => (Some(Arc::new(schema)), None),
            Some(Err(flaw)) => (None, Some(flaw)),
        };
        Self { source, json, schema, flaw }
    }

    /// The root, if the document is a plain record.
    pub fn record(&self) -> Option<&Node> {
        self.json.as_ref().ok().map(|document| &document.root).filter(|root| !is_json_schema(root))
    }
}

/// Whether a document declares a JSON Schema, or is built like one.
fn is_json_schema(root: &Node) -> bool {
    root.get("$schema").is_some() || (root.get("type").is_some() && root.get("properties").is_some())
}

fn compile(root: &Node) -> Result<Validator, (Span, String)> {
    schema::compile(&root.to_json()).map_err(|SchemaError { pointer, message }| {
        let at = if pointer.is_empty() { "at its top".to_owned() } else { format!("at `{pointer}`") };
        let span = root.at_pointer(&pointer).map_or(root.span, |(node, key)| key.unwrap_or(node.span));
        (span, format!("not a valid JSON Schema {at}: {message}"))
    })
}
