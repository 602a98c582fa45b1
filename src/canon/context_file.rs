//! A context file: what a tool reads at the start of a session, or along with the files that a rule is for.

use super::context_chain::{self, AncestorContext};
pub use super::context_kind::{CONTEXT_PATHS, ContextKind, ImportingTool};
use super::imports::{self, BrokenImport};
use super::{Blob, skill::DocumentError};
use crate::syntax::frontmatter::{self, Frontmatter, FrontmatterError};
use crate::syntax::mdc::MdcHeader;
use crate::syntax::{RepoPath, Source};
use std::sync::Arc;

/// A context file as far as it could be read.
#[derive(Debug)]
pub struct ContextFile {
    /// Where it lies.
    pub path: RepoPath,
    /// Whose it is.
    pub kind: ContextKind,
    /// Its text.
    pub document: Result<Arc<Source>, DocumentError>,
    /// What is wrong with the imports of it and of the files that it imports.
    pub imports: Vec<BrokenImport>,
    /// Of an `AGENTS.md`: the files that Codex reads before it; `None` where Codex does not read it.
    pub above: Option<Vec<AncestorContext>>,
}

/// The head of a Cursor rule.
#[derive(Debug)]
pub enum CursorRuleHeader {
    /// There is none, which is allowed.
    None,
    /// It is opened and never closed.
    Unclosed(crate::syntax::Span),
    /// Its lines.
    Lines(MdcHeader),
}

impl ContextFile {
    /// Reads a context file; `read` gives the content of any other path, which is asked for what is imported
    /// and what is read before it.
    pub fn parse(path: RepoPath, kind: ContextKind, blob: Blob, read: &dyn Fn(&RepoPath) -> Blob) -> Self {
        let document = match blob {
            Blob::Missing(missing) => Err(DocumentError::Missing(missing)),
            Blob::Bytes(bytes) => Source::from_bytes(path.clone(), bytes).map(Arc::new).map_err(DocumentError::NotUtf8),
        };
        let imports = match (&document, kind.reader()) {
            (Ok(source), Some(reader)) => imports::follow(source, reader.hops, read),
            _ => Vec::new(),
        };
        let above = if kind == ContextKind::Agents { context_chain::above(&path, read) } else { None };
        Self { path, kind, document, imports, above }
    }

    /// The head, where this is a Cursor rule that could be read.
    pub fn rule_head(&self) -> Option<CursorRuleHeader> {
        let source = self.document.as_ref().ok().filter(|_| self.kind == ContextKind::CursorRule)?;
        Some(match frontmatter::split(source.text()) {
            Ok(Frontmatter { yaml, .. }) => CursorRuleHeader::Lines(MdcHeader::parse(source.slice(yaml), yaml.offset)),
            Err(FrontmatterError::Unclosed { opening, .. }) => CursorRuleHeader::Unclosed(opening),
            Err(_) => CursorRuleHeader::None,
        })
    }
}
