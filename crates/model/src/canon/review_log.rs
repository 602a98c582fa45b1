//! The review queue of the memory as a file: rows that are not events.

use super::Blob;
use super::blob::DocumentError;
use super::schema::{SchemaKind, Schemas, Violation};
use canonry_text::{RepoPath, Source, Span, json};
use std::sync::Arc;

/// A parsed review queue.
#[derive(Debug)]
pub struct ReviewLog {
    pub path: RepoPath,
    pub document: Result<ReviewLogDocument, DocumentError>,
}

/// A review queue with its text.
#[derive(Debug)]
pub struct ReviewLogDocument {
    pub source: Arc<Source>,
    /// Rows that are not JSON, and why.
    pub unreadable: Vec<(Span, String)>,
    /// Violations of the schemas, in file order.
    pub violations: Vec<Violation>,
}

impl ReviewLog {
    /// Parses a review queue.
    pub fn parse(path: RepoPath, blob: Blob, schemas: &Schemas) -> Self {
        let document = blob.into_source(&path).map(|source| ReviewLogDocument::parse(source, schemas));
        Self { path, document }
    }
}

impl ReviewLogDocument {
    fn parse(source: Arc<Source>, schemas: &Schemas) -> Self {
        let mut document = Self { source: Arc::clone(&source), unreadable: Vec::new(), violations: Vec::new() };
        let mut start = 0;
        for line in source.text().split_inclusive('\n') {
            let row = line.trim_end();
            if !row.trim().is_empty() {
                match json::parse(row, start) {
                    Ok(json) => document.violations.extend(schemas.validate(SchemaKind::ReviewEvent, &json.root)),
                    Err(error) => document.unreadable.push((Span::new(start, start + row.len()), error.message)),
                }
            }
            start += line.len();
        }
        document
    }
}
