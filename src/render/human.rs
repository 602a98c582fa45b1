//! Findings and errors for people, with source lines, through miette.

use super::counted;
use super::excerpt::{Excerpt, escape, escape_line};
use canonry_app::Error;
use canonry_lint::Finding;
use canonry_model::finding::{Location, Related, Severity};
use canonry_text::{RepoPath, Span};
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteSpanContents, SourceCode, SourceSpan,
    SpanContents,
};
use std::fmt;
use textwrap::{WordSeparator, WordSplitter};

/// Layout of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal.
    pub width: usize,
    /// Columns of notices on stderr; `None` if it is no terminal.
    pub notice_width: Option<usize>,
    /// Columns of messages on stdout; `None` if it is no terminal.
    pub message_width: Option<usize>,
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

/// The findings of each file below its path, with their source lines.
pub(crate) fn findings<'a>(findings: impl IntoIterator<Item = &'a Finding>, style: Style) -> String {
    let handler = graphical(style);
    let mut text = String::new();
    let mut above = None;
    for finding in findings {
        let path = &finding.location.path;
        if above != Some(path) {
            text.push_str(&header(path, style));
            above = Some(path);
        }
        // Writing to a String cannot fail.
        let _ = handler.render_report(&mut text, &FindingDiagnostic::of_finding(finding, style.width));
        text.push('\n');
    }
    text
}

fn graphical(style: Style) -> GraphicalReportHandler {
    let theme = match style.colour {
        Colour::Ansi => GraphicalTheme::unicode(),
        Colour::None => GraphicalTheme::unicode_nocolor(),
    };
    // A path or a command that is broken at a hyphen or a slash cannot be copied.
    GraphicalReportHandler::new_themed(theme)
        .with_width(style.width)
        .with_word_separator(WordSeparator::AsciiSpace)
        .with_word_splitter(WordSplitter::NoHyphenation)
        .with_break_words(false)
        .with_context_lines(CONTEXT_LINES)
}

fn header(path: &RepoPath, style: Style) -> String {
    let path = path.to_display();
    let path = escape_line(if path.is_empty() { "." } else { &path });
    match style.colour {
        Colour::Ansi => format!("\u{1b}[1m{path}\u{1b}[0m\n\n"),
        Colour::None => format!("{path}\n\n"),
    }
}

/// Lines shown before and after a marked line.
const CONTEXT_LINES: usize = 1;
/// Related locations shown for a finding. A broken link may occur a thousand times; a few are enough.
const MAX_RELATED: usize = 20;

/// A finding, or the place of an error, as a miette diagnostic.
struct FindingDiagnostic<'a> {
    title: String,
    severity: Severity,
    help: Option<&'a str>,
    location: &'a Location,
    /// The source lines, if the file could be read.
    excerpt: Option<Excerpt>,
    /// The place of the finding in the excerpt, then those of related locations with their labels.
    labels: Vec<(Span, Option<String>)>,
    /// Related locations that are not in the excerpt.
    elsewhere: Vec<&'a Related>,
    /// The number of related locations that are not shown.
    omitted: usize,
}

impl<'a> FindingDiagnostic<'a> {
    fn of_finding(finding: &'a Finding, width: usize) -> Self {
        let location = &finding.location;
        let rule = finding.rule.id;
        let message = escape(&finding.message);
        let has_place = location.position.line > 1 || location.span.length > 0;
        let title = if location.source.is_none() && has_place {
            let path = escape_line(&location.path.to_display()).into_owned();
            format!("[{rule}] {path}:{}: {message}", location.position.line)
        } else {
            format!("[{rule}] {message}")
        };
        let help = finding.help.as_deref();
        Self { title, severity: finding.severity, help, ..Self::of_places(location, &finding.related, width) }
    }

    fn of_places(location: &'a Location, related: &'a [Related], width: usize) -> Self {
        let shown = &related[..related.len().min(MAX_RELATED)];
        let bare = Self {
            title: String::new(),
            severity: Severity::Error,
            help: None,
            location,
            excerpt: None,
            labels: Vec::new(),
            elsewhere: shown.iter().collect(),
            omitted: related.len() - shown.len(),
        };
        let Some(source) = location.source.as_deref() else { return bare };
        let (here, mut elsewhere): (Vec<&Related>, Vec<&Related>) =
            shown.iter().partition(|related| related.location.path == location.path);
        let others = here.iter().map(|related| related.location.span);
        let marks: Vec<Span> = std::iter::once(location.span).chain(others).collect();
        let (excerpt, places) = Excerpt::new(source, &marks, width);
        let mut places = places.into_iter();
        let mut labels = vec![(places.next().flatten().unwrap_or_default(), None)];
        for (related, place) in here.into_iter().zip(places) {
            let label = escape(&related.label).into_owned();
            match place.filter(|place| excerpt.has_room_for(&label, *place, width)) {
                Some(place) => labels.push((place, Some(label))),
                None => elsewhere.push(related),
            }
        }
        Self { excerpt: Some(excerpt), labels, elsewhere, ..bare }
    }
}

impl fmt::Display for FindingDiagnostic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }
}

impl fmt::Debug for FindingDiagnostic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for FindingDiagnostic<'_> {}

impl Diagnostic for FindingDiagnostic<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Info | Severity::Off => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let mut lines: Vec<String> = self.help.iter().map(|help| escape(help).into_owned()).collect();
        lines.extend(self.elsewhere.iter().map(|Related { location, label }| {
            format!("{}:{}: {}", escape_line(&location.path.to_display()), location.position.line, escape(label))
        }));
        if self.omitted > 0 {
            lines.push(format!("and {} more", counted(self.omitted, "place")));
        }
        (!lines.is_empty()).then(|| Box::new(lines.join("\n")) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt.as_ref().map(|_| self as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.excerpt.as_ref()?;
        let label = |(at, (span, text)): (usize, &(Span, Option<String>))| {
            let span = SourceSpan::from((span.offset, span.length));
            match at {
                0 => LabeledSpan::new_primary_with_span(text.clone(), span),
                _ => LabeledSpan::new_with_span(text.clone(), span),
            }
        };
        Some(Box::new(self.labels.iter().enumerate().map(label)))
    }
}

impl SourceCode for FindingDiagnostic<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, miette::MietteError> {
        let excerpt = self.excerpt.as_ref().ok_or(miette::MietteError::OutOfBounds)?;
        let location = self.location;
        let lines = excerpt.lines_of(Span { offset: span.offset(), length: span.len() }, lines_before.max(lines_after));
        // Without context lines, the renderer asks for the position of the finding. Otherwise it counts columns from the
        // start of the lines.
        let column = if lines_before == 0 { location.position.column - 1 } else { 0 };
        Ok(Box::new(MietteSpanContents::new_named(
            escape_line(&location.path.to_display()).into_owned(),
            excerpt.text.get(lines.span.range()).unwrap_or_default().as_bytes(),
            SourceSpan::from((lines.span.offset, lines.span.length)),
            lines.number - 1,
            column,
            lines.count,
        )))
    }
}

/// Places of an error whose lines are shown.
const MAX_PLACES: usize = 5;

/// An error that ended a command, the lines that it names, and its help.
pub fn error(error: &Error, style: Style) -> String {
    let lines = excerpts(&error.places[..error.places.len().min(MAX_PLACES)], style);
    let help = error.help.as_deref().map(help_line).unwrap_or_default();
    format!("{}{lines}{help}", failure(&error.message, None, style))
}

/// The lines of places, each in a frame with a mark.
fn excerpts(places: &[Location], style: Style) -> String {
    let mut places: Vec<&Location> = places.iter().filter(|place| place.source.is_some()).collect();
    places.sort_by_key(|place| (&place.path, place.span));
    let handler = graphical(style);
    let mut text = String::new();
    for place in places {
        let mut report = String::new();
        // Writing to a String cannot fail.
        let _ = handler.render_report(&mut report, &FindingDiagnostic::of_places(place, &[], style.width));
        // The error itself is above: only the frame is of interest.
        let frame = report.lines().skip_while(|line| !line.contains('╭')).filter(|line| !line.trim().is_empty());
        frame.for_each(|line| {
            text.push_str(line);
            text.push('\n');
        });
    }
    text
}

fn help_line(help: &str) -> String {
    format!("  help: {}\n", escape(help))
}

/// An error and its help, without lines of files.
pub fn failure(message: &str, help: Option<&str>, style: Style) -> String {
    let mark = match style.colour {
        Colour::Ansi => "\u{1b}[31;1merror\u{1b}[0m",
        Colour::None => "error",
    };
    // Messages quote files, such as the id of a step.
    let help = help.map(help_line).unwrap_or_default();
    format!("{mark}: {}\n{help}", escape(message))
}
