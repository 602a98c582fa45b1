//! A context file: what a tool reads at the start of a session, or along with the files that a rule is for.

use super::context_chain::{self, Above};
pub use super::context_kind::{ContextKind, PLACES, Reader};
use super::imports::{self, Import};
use super::{Blob, skill::Unreadable};
use crate::syntax::frontmatter::{self, Frontmatter, NoFrontmatter};
use crate::syntax::mdc::Head;
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
    pub document: Result<Arc<Source>, Unreadable>,
    /// What is wrong with the imports of it and of the files that it imports.
    pub imports: Vec<Import>,
    /// Of an `AGENTS.md`: the files that Codex reads before it; `None` where Codex does not read it.
    pub above: Option<Vec<Above>>,
}

/// The head of a Cursor rule.
#[derive(Debug)]
pub enum RuleHead {
    /// There is none, which is allowed.
    None,
    /// It is opened and never closed.
    Unclosed(crate::syntax::Span),
    /// Its lines.
    Lines(Head),
}

impl ContextFile {
    /// Reads a context file; `read` gives the content of any other path, which is asked for what is imported
    /// and what is read before it.
    pub fn parse(path: RepoPath, kind: ContextKind, blob: Blob, read: &dyn Fn(&RepoPath) -> Blob) -> Self {
        let document = match blob {
            Blob::Missing(missing) => Err(Unreadable::Missing(missing)),
            Blob::Bytes(bytes) => Source::from_bytes(path.clone(), bytes).map(Arc::new).map_err(Unreadable::NotUtf8),
        };
        let imports = match (&document, kind.reader()) {
            (Ok(source), Some(reader)) => imports::follow(source, reader.hops, read),
            _ => Vec::new(),
        };
        let above = if kind == ContextKind::Agents { context_chain::above(&path, read) } else { None };
        Self { path, kind, document, imports, above }
    }

    /// The head, where this is a Cursor rule that could be read.
    pub fn rule_head(&self) -> Option<RuleHead> {
        let source = self.document.as_ref().ok().filter(|_| self.kind == ContextKind::CursorRule)?;
        Some(match frontmatter::split(source.text()) {
            Ok(Frontmatter { yaml, .. }) => RuleHead::Lines(Head::parse(source.slice(yaml), yaml.offset)),
            Err(NoFrontmatter::Unclosed { opening, .. }) => RuleHead::Unclosed(opening),
            Err(_) => RuleHead::None,
        })
    }
}
