//! The vocabulary of findings: severity, location, fix.

mod defaults;
mod fix;
pub mod yaml_edit;
pub mod yaml_lines;

pub use canonry_text::{TextEdit, apply_edits};
pub use defaults::{Defaults, Profile};
pub use fix::{Applicability, Fix, apply_fixes};

use canonry_text::{Position, RepoPath, Source, Span};
use std::sync::Arc;

/// Severity of a finding. Findings with severity `Off` are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, clap::ValueEnum)]
pub enum Severity {
    /// Not reported
    #[value(skip)]
    Off,
    /// Style, or information
    Info,
    /// Content that a tool ignores or changes, or that causes problems
    Warning,
    /// Broken files, and violations of the specification
    Error,
}

impl Severity {
    /// `off`, `info`, `warning` or `error`
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// The inverse of [`Self::as_str`].
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Off, Self::Info, Self::Warning, Self::Error].into_iter().find(|s| s.as_str() == word)
    }
}

/// A position in a file, or a file as a whole.
#[derive(Clone, Debug)]
pub struct Location {
    /// The file or folder.
    pub path: RepoPath,
    /// The bytes; empty at offset 0 for a file as a whole.
    pub span: Span,
    /// Line and column of the span's start.
    pub position: Position,
    /// The text of the file if it was read, to show source lines.
    pub source: Option<Arc<Source>>,
}

impl Location {
    /// A span of a text.
    pub fn at(source: &Arc<Source>, span: Span) -> Self {
        let position = source.position(span.offset);
        Self { path: source.path().clone(), span, position, source: Some(Arc::clone(source)) }
    }

    /// A file or folder as a whole.
    pub fn file(path: &RepoPath) -> Self {
        Self { path: path.clone(), span: Span::default(), position: Position { line: 1, column: 1 }, source: None }
    }

    /// A byte of a file whose text is not available. `line` counts from 1.
    pub fn byte(path: &RepoPath, offset: usize, line: usize) -> Self {
        let position = Position { line, column: 1 };
        Self { path: path.clone(), span: Span { offset, length: 1 }, position, source: None }
    }
}

/// A second location that explains a finding.
#[derive(Clone, Debug)]
pub struct Related {
    /// The location.
    pub location: Location,
    /// Relation to the finding, such as `first defined here`.
    pub label: String,
}
