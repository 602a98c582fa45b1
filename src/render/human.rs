//! Findings and errors for people, with source lines, through miette.

use super::counted;
use super::excerpt::{PrintableSource, escape};
use crate::finding::{Finding, Location, RawFinding, Related, Severity};
use crate::syntax::Span;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteSpanContents, SourceCode, SourceSpan,
    SpanContents,
};
use std::fmt;
use std::sync::Arc;

/// How text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether to use colours.
    pub colour: Colour,
}

/// Whether to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// ANSI colours.
    Ansi,
    /// Plain text.
    None,
}

/// Each finding with its source lines.
pub(super) fn findings(findings: &[Finding], style: Style) -> String {
    let theme = match style.colour {
        Colour::Ansi => GraphicalTheme::unicode(),
        Colour::None => GraphicalTheme::unicode_nocolor(),
    };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(style.width).with_context_lines(1);
    let mut text = String::new();
    let have_same_source = |a: &Finding, b: &Finding| match (&a.raw.location.source, &b.raw.location.source) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    for group in findings.chunk_by(have_same_source) {
        let source = group.first().and_then(|finding| finding.raw.location.source.as_deref());
        let source = source.map(PrintableSource::new);
        for finding in group {
            // Writing to a String cannot fail.
            let _ = handler.render_report(&mut text, &FindingDiagnostic { finding, source: source.as_ref() });
            text.push('\n');
        }
    }
    text
}

/// Related locations shown for a finding. A broken link may occur a thousand times; a few are enough.
const MAX_RELATED: usize = 20;

/// A finding as a miette diagnostic.
struct FindingDiagnostic<'a> {
    finding: &'a Finding,
    /// The text of its file, if it could be read.
    source: Option<&'a PrintableSource<'a>>,
}

impl FindingDiagnostic<'_> {
    fn raw(&self) -> &RawFinding {
        &self.finding.raw
    }

    fn related(&self) -> &[Related] {
        let related = &self.raw().related;
        &related[..related.len().min(MAX_RELATED)]
    }

    /// Whether a related location is marked among the finding's own lines. No location on a truncated line is.
    fn is_marked(&self, location: &Location) -> bool {
        let own = &self.raw().location;
        let is_truncated = |source: &PrintableSource<'_>| {
            source.is_truncated(own.span.offset) || source.is_truncated(location.span.offset)
        };
        location.path == own.path && self.source.is_some_and(|source| !is_truncated(source))
    }
}

impl fmt::Display for FindingDiagnostic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let location = &self.raw().location;
        let message = escape(&self.raw().message);
        match (self.source, location.position.line) {
            (Some(_), _) => f.write_str(&message),
            (None, 1) if location.span.length == 0 => write!(f, "{}: {message}", location.path),
            (None, line) => write!(f, "{}:{line}: {message}", location.path),
        }
    }
}

impl fmt::Debug for FindingDiagnostic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for FindingDiagnostic<'_> {}

impl Diagnostic for FindingDiagnostic<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.finding.rule))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.finding.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Info | Severity::Off => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let raw = self.raw();
        let elsewhere = self.related().iter().filter(|related| !self.is_marked(&related.location));
        let mut lines: Vec<String> = raw.help.iter().map(|help| escape(help).into_owned()).collect();
        lines.extend(elsewhere.map(|Related { location, label }| {
            format!("{}:{}: {}", location.path, location.position.line, escape(label))
        }));
        if raw.related.len() > MAX_RELATED {
            lines.push(format!("and {} more", counted(raw.related.len() - MAX_RELATED, "place")));
        }
        (!lines.is_empty()).then(|| Box::new(lines.join("\n")) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.map(|_| self as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let source = self.source?;
        let label = move |text: Option<String>, location: &Location, is_primary: bool| {
            let span = source.marked_part(location.span);
            let span = SourceSpan::from((span.offset, span.length));
            match is_primary {
                true => LabeledSpan::new_primary_with_span(text, span),
                false => LabeledSpan::new_with_span(text, span),
            }
        };
        let marked = self.related().iter().filter(|related| self.is_marked(&related.location));
        let others = marked.map(move |r| label(Some(escape(&r.label).into_owned()), &r.location, false));
        Some(Box::new(std::iter::once(label(None, &self.raw().location, true)).chain(others)))
    }
}

impl SourceCode for FindingDiagnostic<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, miette::MietteError> {
        let source = self.source.ok_or(miette::MietteError::OutOfBounds)?;
        let span = Span { offset: span.offset(), length: span.len() };
        let excerpt = source.excerpt(span, lines_before, lines_after);
        Ok(Box::new(MietteSpanContents::new_named(
            self.raw().location.path.to_display(),
            source.slice(excerpt.span).as_bytes(),
            SourceSpan::from((excerpt.span.offset, excerpt.span.length)),
            excerpt.start.line - 1,
            // With context lines, the renderer counts columns from the start of the excerpt.
            if lines_before == 0 { excerpt.start.column - 1 } else { 0 },
            excerpt.lines,
        )))
    }
}

/// An error that ended a command, and its help.
pub fn failure(message: &str, help: Option<&str>, style: Style) -> String {
    let mark = match style.colour {
        Colour::Ansi => "\u{1b}[31;1merror\u{1b}[0m",
        Colour::None => "error",
    };
    // Messages quote files, such as the id of a step.
    let help = help.map(|help| format!("  help: {}\n", escape(help))).unwrap_or_default();
    format!("{mark}: {}\n{help}", escape(message))
}
