//! Floor 2: what judging gives.

mod baseline;
mod fingerprint;
mod fix;
mod resolve;

pub use baseline::Baseline;
pub use fingerprint::Fingerprint;
pub use fix::{Applicability, Fix, FixedText, TextEdit, apply_edits, apply_fixes};
pub use resolve::resolve;

use crate::syntax::{Position, RepoPath, Source, Span};
use std::cmp::Ordering;
use std::sync::Arc;

/// How much a finding matters. `Off` findings are dropped before anyone sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Not reported.
    Off,
    /// Style, or something to know.
    Info,
    /// A configured target would drop or mangle something, or a team will be hurt.
    Warning,
    /// The specification, YAML or the file system is violated.
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

    /// From its word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Off, Self::Info, Self::Warning, Self::Error].into_iter().find(|s| s.as_str() == word)
    }
}

/// A place in a file.
#[derive(Clone, Debug)]
pub struct Location {
    /// The file or folder.
    pub path: RepoPath,
    /// The bytes meant; empty at 0 for the file as a whole.
    pub span: Span,
    /// Line and column of the span's start.
    pub position: Position,
    /// The text, where it could be read; a person is shown the lines.
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

    /// A byte of a file whose text is not at hand, with its line from 1.
    pub fn byte(path: &RepoPath, offset: usize, line: usize) -> Self {
        let position = Position { line, column: 1 };
        Self { path: path.clone(), span: Span { offset, length: 1 }, position, source: None }
    }
}

/// A second place that explains the first.
#[derive(Clone, Debug)]
pub struct Related {
    /// Where.
    pub location: Location,
    /// What it has to do with the finding, such as `first defined here`.
    pub label: String,
}

/// What a check function says: everything but the rule's name and the severity, which are not its business.
#[derive(Clone, Debug)]
pub struct RawFinding {
    /// What is wrong: one sentence, lower case at its start where it can be, without a full stop.
    pub message: String,
    /// Where.
    pub location: Location,
    /// Other places that explain it.
    pub related: Vec<Related>,
    /// What to do.
    pub help: Option<String>,
    /// What would mend it, where that is known to the letter.
    pub fix: Option<Fix>,
    /// How much of the file it speaks of.
    pub scope: FindingScope,
}

/// How much of its file a finding speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FindingScope {
    /// The place it names.
    #[default]
    Location,
    /// More of the file than the place it names: allowing that one line does not allow all that it counts.
    File,
}

impl RawFinding {
    /// `message` at `place`.
    pub fn new(location: Location, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            location,
            related: Vec::new(),
            help: None,
            fix: None,
            scope: FindingScope::Location,
        }
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says what would mend it; nothing where there is no such thing.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<Option<Fix>>) -> Self {
        self.fix = fix.into();
        self
    }

    /// Says that it speaks of more than its place.
    #[must_use]
    pub fn about_whole_file(mut self) -> Self {
        self.scope = FindingScope::File;
        self
    }

    /// Adds a place that explains it.
    #[must_use]
    pub fn related(mut self, location: Location, label: impl Into<String>) -> Self {
        self.related.push(Related { location, label: label.into() });
        self
    }
}

/// A settled finding.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// How much it matters here.
    pub severity: Severity,
    /// What is said.
    pub raw: RawFinding,
    /// What it is known by from run to run.
    pub fingerprint: Fingerprint,
}

impl Finding {
    /// The order of every report: path, offset, rule, message.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let key = |f: &Self| (f.raw.location.path.clone(), f.raw.location.span, f.rule);
        key(self).cmp(&key(other)).then_with(|| self.raw.message.cmp(&other.raw.message))
    }
}
