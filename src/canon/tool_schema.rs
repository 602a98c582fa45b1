//! A tool's schema, `protocols/tool_schemas/*.json`: what a call must bring, what must hold before it, what it may not
//! touch.
//!
//! Two forms are met: a plain record (`tool`, `required_args`, `preconditions`, …, for the tool as a whole or for each of
//! its `operations`), and a JSON Schema of the arguments.

use super::schema::{self, SchemaError};
use super::{Blob, blob::DocumentError};
use crate::syntax::json::{self, JsonError};
use crate::syntax::node::Node;
use crate::syntax::yaml::ParsedDocument;
use crate::syntax::{RepoPath, Source, Span};
use std::sync::Arc;

/// A tool's schema as far as it could be read.
#[derive(Debug)]
pub struct ToolSchema {
    /// Where it lies.
    pub path: RepoPath,
    /// What it holds.
    pub document: Result<ToolDocument, DocumentError>,
}

/// The text of a tool's schema.
#[derive(Debug)]
pub struct ToolDocument {
    /// The text.
    pub source: Arc<Source>,
    /// The JSON, or the first place where it is none.
    pub json: Result<ParsedDocument, JsonError>,
    /// Where it is a JSON Schema: what is wrong with that.
    pub flaw: Option<(Span, String)>,
}

impl ToolSchema {
    /// Reads a tool's schema.
    pub fn parse(path: RepoPath, blob: Blob) -> Self {
        let document = blob.into_source(&path).map(|source| ToolDocument::parse(source));
        Self { path, document }
    }
}

impl ToolDocument {
    fn parse(source: Arc<Source>) -> Self {
        let json = json::parse(source.text(), 0);
        let root = json.as_ref().ok().map(|document| &document.root);
        let flaw = root.filter(|root| is_json_schema(root)).and_then(flaw);
        Self { source, json, flaw }
    }

    /// The record, where this is one and no JSON Schema.
    pub fn record(&self) -> Option<&Node> {
        self.json.as_ref().ok().map(|document| &document.root).filter(|root| !is_json_schema(root))
    }
}

/// Whether a document says that it is a JSON Schema, or is built like one.
fn is_json_schema(root: &Node) -> bool {
    root.get("$schema").is_some() || (root.get("type").is_some() && root.get("properties").is_some())
}

fn flaw(root: &Node) -> Option<(Span, String)> {
    let SchemaError { pointer, message } = schema::compile(&root.to_json()).err()?;
    let at = if pointer.is_empty() { "at its top".to_owned() } else { format!("at `{pointer}`") };
    let span = root.at_pointer(&pointer).map_or(root.span, |(node, key)| key.unwrap_or(node.span));
    Some((span, format!("not a valid JSON Schema {at}: {message}")))
}
