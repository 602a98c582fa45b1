//! Findings: what a check reports, their severity, fixes, fingerprints and the baseline.

mod baseline;
mod defaults;
mod fingerprint;
mod fix;
pub mod yaml_edit;
pub mod yaml_lines;

pub use baseline::Baseline;
pub use defaults::{Defaults, Profile};
pub use fingerprint::Fingerprint;
pub use fix::{Applicability, Fix, TextEdit, apply_edits, apply_fixes};

use canonry_text::{Position, RepoPath, Source, Span};
use std::cmp::Ordering;
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

/// A finding as a check function reports it: without rule id and severity, which [`resolve`] adds.
#[derive(Clone, Debug)]
pub struct RawFinding {
    /// Description of the problem: one sentence that starts in lower case, without a full stop.
    pub message: String,
    /// The primary location.
    pub location: Location,
    /// Locations that explain it.
    pub related: Vec<Related>,
    /// Remedy.
    pub help: Option<String>,
    /// A fix, if one can be computed.
    pub fix: Option<Fix>,
    /// Range that a suppression comment must cover to suppress the finding.
    pub scope: FindingScope,
    /// The cause it shares with other findings of its rule, which are then reported as one.
    pub cause: Option<Cause>,
    /// Its default severity, if that differs from the one of its rule.
    pub severity: Option<Defaults>,
}

/// Common cause of several findings of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Equal for findings with the same cause.
    pub key: String,
    /// Noun for each of them, in the singular and in the plural.
    pub what: (&'static str, &'static str),
}

/// Range that a suppression comment must cover to suppress a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FindingScope {
    /// The finding's location.
    #[default]
    Location,
    /// The whole file, because the finding summarises several places in it.
    File,
}

impl RawFinding {
    /// A finding with `message` at `location`.
    pub fn new(location: Location, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            location,
            related: Vec::new(),
            help: None,
            fix: None,
            scope: FindingScope::Location,
            cause: None,
            severity: None,
        }
    }

    /// Sets a default severity that differs from the one of its rule.
    #[must_use]
    pub fn severity(mut self, severity: Defaults) -> Self {
        self.severity = Some(severity);
        self
    }

    /// Names the cause that it shares with other findings of its rule.
    #[must_use]
    pub fn caused_by(mut self, key: impl Into<String>, what: (&'static str, &'static str)) -> Self {
        self.cause = Some(Cause { key: key.into(), what });
        self
    }

    /// Adds the help text.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the fix, if there is one.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<Option<Fix>>) -> Self {
        self.fix = fix.into();
        self
    }

    /// Marks the finding as one about the whole file.
    #[must_use]
    pub fn about_whole_file(mut self) -> Self {
        self.scope = FindingScope::File;
        self
    }

    /// Adds a related location.
    #[must_use]
    pub fn related(mut self, location: Location, label: impl Into<String>) -> Self {
        self.related.push(Related { location, label: label.into() });
        self
    }
}

/// A finding with its rule, severity and fingerprint.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// The severity after configuration.
    pub severity: Severity,
    /// The finding as the check function reported it.
    pub raw: RawFinding,
    /// Identifies the finding from run to run.
    pub fingerprint: Fingerprint,
}

impl Finding {
    /// The order of every report: path, offset, rule, message.
    pub fn order(&self, other: &Self) -> Ordering {
        let key = |f: &Self| (f.raw.location.path.clone(), f.raw.location.span, f.rule);
        key(self).cmp(&key(other)).then_with(|| self.raw.message.cmp(&other.raw.message))
    }
}

/// Adds severities and fingerprints to `raw` findings, drops those with severity `Off`, and sorts the rest by path,
/// offset and rule. `severity_of` gives the severity of a rule's finding.
pub fn resolve(
    raw: Vec<(&'static str, RawFinding)>,
    severity_of: impl Fn(&'static str, &RawFinding) -> Severity,
) -> Vec<Finding> {
    let mut findings: Vec<Finding> = raw
        .into_iter()
        .map(|(rule, raw)| {
            let severity = severity_of(rule, &raw);
            Finding { rule, severity, raw, fingerprint: Fingerprint::default() }
        })
        .filter(|finding| finding.severity != Severity::Off)
        .collect();
    findings.sort_by(Finding::order);
    let fingerprints = fingerprint::fingerprints(&findings);
    findings.iter_mut().zip(fingerprints).for_each(|(finding, fingerprint)| finding.fingerprint = fingerprint);
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolve_sorts_and_drops_findings_that_are_off() {
        let at = |path: &str| RawFinding::new(Location::file(&RepoPath::from(path)), "m");
        let raw = vec![("b", at("y")), ("a", at("y")), ("off", at("a")), ("c", at("x"))];
        let found = resolve(raw, |rule, _| if rule == "off" { Severity::Off } else { Severity::Error });
        let order: Vec<_> = found.iter().map(|f| (f.rule, f.raw.location.path.to_display())).collect();
        assert_eq!(order, [("c", "x".to_owned()), ("a", "y".to_owned()), ("b", "y".to_owned())]);
    }
}
