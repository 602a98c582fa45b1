//! Tool schemas, `protocols/tool_schemas/*.json`: required arguments, preconditions and forbidden targets of a tool.
//!
//! There are two forms: a plain record (`tool`, `required_args`, `preconditions`, …, for the whole tool or per entry
//! of `operations`), and a JSON Schema of the arguments.

use super::schema::{self, SchemaError};
use super::{Blob, blob::DocumentError};
use canonry_text::json::{self, JsonError};
use canonry_text::node::Node;
use canonry_text::yaml::ParsedDocument;
use canonry_text::{RepoPath, Source, Span};
use jsonschema::Validator;
use serde_json::{Map, Value, json};
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

/// The keys of an argument with their names in JSON Schema; `None` for keys that only inform.
pub const ARGUMENT_KEYS: [(&str, Option<&str>); 21] = [
    ("type", Some("type")),
    ("enum", Some("enum")),
    ("const", Some("const")),
    ("max_length", Some("maxLength")),
    ("maxLength", Some("maxLength")),
    ("min_length", Some("minLength")),
    ("minLength", Some("minLength")),
    ("pattern", Some("pattern")),
    ("minimum", Some("minimum")),
    ("min", Some("minimum")),
    ("maximum", Some("maximum")),
    ("max", Some("maximum")),
    ("items", Some("items")),
    ("format", Some("format")),
    ("default", None),
    ("description", None),
    ("example", None),
    ("examples", None),
    ("title", None),
    ("note", None),
    ("$comment", None),
];

/// The JSON Schema of an argument: a mapping, or just the name of a type.
pub fn argument_schema(spec: &Node) -> Option<Value> {
    if let Some(name) = spec.as_str() {
        return is_type(full_type(name)).then(|| json!({"type": full_type(name)}));
    }
    let mut schema = Map::new();
    for entry in &spec.as_mapping()?.entries {
        let known = ARGUMENT_KEYS.iter().find(|(key, _)| *key == entry.key);
        let Some((_, Some(key))) = known else { continue };
        let value = match entry.value.as_str() {
            Some(name) if *key == "type" => json!(full_type(name)),
            _ => entry.value.to_json(),
        };
        schema.insert((*key).to_owned(), value);
    }
    (!schema.is_empty()).then_some(Value::Object(schema))
}

fn full_type(name: &str) -> &str {
    match name {
        "int" => "integer",
        "str" | "text" => "string",
        "bool" => "boolean",
        "float" => "number",
        "list" => "array",
        "dict" | "map" => "object",
        name => name,
    }
}

fn is_type(name: &str) -> bool {
    matches!(name, "integer" | "string" | "boolean" | "number" | "array" | "object" | "null")
}

fn compile(root: &Node) -> Result<Validator, (Span, String)> {
    schema::compile(&root.to_json()).map_err(|SchemaError { pointer, message }| {
        let at = if pointer.is_empty() { "at its top".to_owned() } else { format!("at `{pointer}`") };
        let span = root.at_pointer(&pointer).map_or(root.span, |(node, key)| key.unwrap_or(node.span));
        (span, format!("not a valid JSON Schema {at}: {message}"))
    })
}
