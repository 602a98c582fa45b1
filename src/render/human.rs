//! Findings for people, through miette.

use super::excerpt::{Legible, escaped};
use super::{Report, counted};
use crate::finding::{Finding, Location, RawFinding, Related, Severity};
use crate::syntax::Span;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteSpanContents, SourceCode, SourceSpan,
    SpanContents,
};
use std::fmt;
use std::sync::Arc;

/// How the text is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether colours are understood and wanted.
    pub colour: Colour,
}

/// Colours or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// ANSI colours.
    Ansi,
    /// Plain text.
    None,
}

/// Each finding with its lines, then one line that counts.
pub fn findings(report: &Report<'_>, style: Style) -> String {
    let theme = match style.colour {
        Colour::Ansi => GraphicalTheme::unicode(),
        Colour::None => GraphicalTheme::unicode_nocolor(),
    };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(style.width).with_context_lines(1);
    let mut text = String::new();
    let is_of_same = |a: &Finding, b: &Finding| match (&a.raw.location.source, &b.raw.location.source) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (a, b) => a.is_none() && b.is_none(),
    };
    for of_file in report.findings().chunk_by(is_of_same) {
        let file = of_file.first().and_then(|finding| finding.raw.location.source.as_deref()).map(Legible::of);
        for finding in of_file {
            // Writing into a String cannot fail.
            let _ = handler.render_report(&mut text, &Shown { finding, file: file.as_ref() });
            text.push('\n');
        }
    }
    text.push_str(&closing(report));
    text
}

/// What is said once the findings are.
pub(super) fn closing(report: &Report<'_>) -> String {
    summary(report) + &beside(report)
}

fn summary(report: &Report<'_>) -> String {
    let skills = counted(report.skills, "skill");
    let looked_at = match report.files - report.skills {
        0 => format!("{skills} judged"),
        others => format!("{skills} and {} judged", counted(others, "other file")),
    };
    let counts: Vec<String> = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "info")]
        .into_iter()
        .map(|(severity, noun)| (report.count(severity), noun))
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| counted(count, noun))
        .collect();
    if counts.is_empty() {
        return format!("No findings: {looked_at}.\n");
    }
    format!("{}: {looked_at}. `canonry explain RULE` says more of a rule.\n", counts.join(", "))
}

/// What else there is to tell: fixed, to be fixed, allowed, put off.
fn beside(report: &Report<'_>) -> String {
    let settled = report.settled;
    let mut text = String::new();
    if report.fixed > 0 {
        text.push_str(&format!("Fixed: {}.\n", report.fixed));
    }
    let quiet = [(settled.allowed.len(), "allowed by comments"), (settled.baselined.len(), "in the baseline")];
    let quiet: Vec<String> = quiet.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if !quiet.is_empty() {
        text.push_str(&format!("Not shown: {}.\n", quiet.join(", ")));
    }
    text.push_str(&match report.fixable() {
        (0, _) => String::new(),
        (all, safe) if all == safe => format!("`canonry check --fix` fixes {all} of them.\n"),
        (all, 0) => format!("`canonry check --fix=unsafe` fixes {all} of them, to be looked at afterwards.\n"),
        (all, safe) => format!(
            "`canonry check --fix` fixes {safe} of them, `--fix=unsafe` {} more, to be looked at afterwards.\n",
            all - safe
        ),
    });
    if settled.stale_baseline_entries > 0 {
        let entries = match settled.stale_baseline_entries {
            1 => "1 entry of the baseline has".to_owned(),
            more => format!("{more} entries of the baseline have"),
        };
        text.push_str(&format!("{entries} no finding any more: `canonry check --write-baseline` takes them out.\n"));
    }
    text
}

/// Other places of a finding that are shown; of a link that stands a thousand times a few are enough.
const RELATED: usize = 20;

struct Shown<'a> {
    finding: &'a Finding,
    /// Its file, where there is a text.
    file: Option<&'a Legible<'a>>,
}

impl Shown<'_> {
    fn draft(&self) -> &RawFinding {
        &self.finding.raw
    }

    fn related(&self) -> &[Related] {
        let related = &self.draft().related;
        &related[..related.len().min(RELATED)]
    }

    /// Whether a place is shown among the lines of the finding itself; on a line that is shown in part none is.
    fn is_here(&self, place: &Location) -> bool {
        let own = &self.draft().location;
        let is_cut = |file: &Legible<'_>| file.is_cut(own.span.offset) || file.is_cut(place.span.offset);
        place.path == own.path && self.file.is_some_and(|file| !is_cut(file))
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = &self.draft().location;
        let message = escaped(&self.draft().message);
        match (self.file, place.position.line) {
            (Some(_), _) => f.write_str(&message),
            (None, 1) if place.span.length == 0 => write!(f, "{}: {message}", place.path),
            (None, line) => write!(f, "{}:{line}: {message}", place.path),
        }
    }
}

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
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
        let draft = self.draft();
        let elsewhere = self.related().iter().filter(|r| !self.is_here(&r.location));
        let mut lines: Vec<String> = draft.help.iter().map(|help| escaped(help).into_owned()).collect();
        lines.extend(
            elsewhere.map(|r| format!("{}:{}: {}", r.location.path, r.location.position.line, escaped(&r.label))),
        );
        if draft.related.len() > RELATED {
            lines.push(format!("and {} more", counted(draft.related.len() - RELATED, "place")));
        }
        (!lines.is_empty()).then(|| Box::new(lines.join("\n")) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.file.map(|_| self as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let file = self.file?;
        let label = move |text: Option<String>, place: &Location, primary: bool| {
            let span = file.marked(place.span);
            let span = SourceSpan::from((span.offset, span.length));
            if primary {
                LabeledSpan::new_primary_with_span(text, span)
            } else {
                LabeledSpan::new_with_span(text, span)
            }
        };
        let here = self.related().iter().filter(|r| self.is_here(&r.location));
        let others = here.map(move |r| label(Some(escaped(&r.label).into_owned()), &r.location, false));
        Some(Box::new(std::iter::once(label(None, &self.draft().location, true)).chain(others)))
    }
}

impl SourceCode for Shown<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, miette::MietteError> {
        let file = self.file.ok_or(miette::MietteError::OutOfBounds)?;
        let excerpt = file.around(Span { offset: span.offset(), length: span.len() }, before, after);
        Ok(Box::new(MietteSpanContents::new_named(
            self.draft().location.path.to_display(),
            file.slice(excerpt.span).as_bytes(),
            SourceSpan::from((excerpt.span.offset, excerpt.span.length)),
            excerpt.start.line - 1,
            // Of an excerpt with lines around it the renderer counts columns from its start.
            if before == 0 { excerpt.start.column - 1 } else { 0 },
            excerpt.lines,
        )))
    }
}

/// Something that ended a command, for people: what is wrong, and what to do.
pub fn failure(message: &str, help: Option<&str>, style: Style) -> String {
    let mark = match style.colour {
        Colour::Ansi => "\u{1b}[31;1merror\u{1b}[0m",
        Colour::None => "error",
    };
    let help = help.map(|help| format!("  help: {help}\n")).unwrap_or_default();
    format!("{mark}: {message}\n{help}")
}
