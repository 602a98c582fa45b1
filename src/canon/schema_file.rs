//! A team's own schema file.

use super::schema::{self, SchemaError, SchemaKind};
use crate::syntax::json::JsonError;
use crate::syntax::{RepoPath, Source, Span};
use jsonschema::Validator;
use std::sync::Arc;

/// `agent/schemas/*.json`.
#[derive(Debug)]
pub struct SchemaFile {
    /// Its text.
    pub source: Arc<Source>,
    /// What it applies to, by its name; `None` where the name binds it to nothing.
    pub kind: Option<SchemaKind>,
    /// The compiled schema, or what is wrong.
    pub schema: Result<Arc<Validator>, SchemaProblem>,
}

/// Why a schema file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaProblem {
    /// Where.
    pub span: Span,
    /// What is wrong, lower case, without a full stop.
    pub message: String,
}

impl SchemaFile {
    /// Reads a schema file's text.
    pub fn parse(source: Arc<Source>) -> Self {
        let kind = SchemaKind::from_team_file(source.path());
        let schema = compile(&source);
        Self { source, kind, schema }
    }

    /// Where it lies.
    pub fn path(&self) -> &RepoPath {
        self.source.path()
    }
}

fn compile(source: &Source) -> Result<Arc<Validator>, SchemaProblem> {
    let json: serde_json::Value = serde_json::from_str(source.text()).map_err(|e| {
        let JsonError { message, span } = JsonError::from_serde(source.text(), &e);
        SchemaProblem { span, message: format!("not valid JSON: {message}") }
    })?;
    schema::compile(&json).map(Arc::new).map_err(|SchemaError { pointer, message }| {
        let at = if pointer.is_empty() { "at its top".to_owned() } else { format!("at `{pointer}`") };
        SchemaProblem {
            span: key_span(source.text(), &pointer),
            message: format!("not a valid JSON Schema {at}: {message}"),
        }
    })
}

/// JSON is YAML, so the YAML reader tells where a pointer leads.
fn key_span(text: &str, pointer: &str) -> Span {
    let document = crate::syntax::yaml::parse(text, 0).ok();
    let found = document.as_ref().and_then(|d| d.root.at_pointer(pointer));
    found.map_or(Span::new(0, 0), |(node, key)| key.unwrap_or(node.span))
}
