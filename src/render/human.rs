//! Findings for people, through miette.

use super::{Report, counted};
use crate::finding::{Finding, Place, Severity};
use crate::syntax::Source;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteSpanContents, SourceCode, SourceSpan,
    SpanContents,
};
use std::fmt;

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
    for finding in report.findings() {
        // Writing into a String cannot fail.
        let _ = handler.render_report(&mut text, &Shown(finding));
        text.push('\n');
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
    if settled.outlived > 0 {
        let entries = match settled.outlived {
            1 => "1 entry of the baseline has".to_owned(),
            more => format!("{more} entries of the baseline have"),
        };
        text.push_str(&format!("{entries} no finding any more: `canonry check --write-baseline` takes them out.\n"));
    }
    text
}

struct Shown<'a>(&'a Finding);

impl Shown<'_> {
    fn source(&self) -> Option<&Source> {
        self.0.draft.place.source.as_deref()
    }

    fn is_here(&self, place: &Place) -> bool {
        self.source().is_some() && place.path == self.0.draft.place.path
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let draft = &self.0.draft;
        let place = &draft.place;
        match (self.source(), place.position.line) {
            (Some(_), _) => f.write_str(&draft.message),
            (None, 1) if place.span.length == 0 => write!(f, "{}: {}", place.path, draft.message),
            (None, line) => write!(f, "{}:{line}: {}", place.path, draft.message),
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
        Some(Box::new(self.0.rule))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.0.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Info | Severity::Off => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let draft = &self.0.draft;
        let elsewhere = draft.related.iter().filter(|r| !self.is_here(&r.place));
        let mut lines: Vec<String> = draft.help.iter().cloned().collect();
        lines.extend(elsewhere.map(|r| format!("{}:{}: {}", r.place.path, r.place.position.line, r.label)));
        (!lines.is_empty()).then(|| Box::new(lines.join("\n")) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source().map(|_| self as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.source()?;
        let draft = &self.0.draft;
        let label = |text: Option<String>, place: &Place, primary: bool| {
            let span = SourceSpan::from((place.span.offset, place.span.length));
            if primary {
                LabeledSpan::new_primary_with_span(text, span)
            } else {
                LabeledSpan::new_with_span(text, span)
            }
        };
        let here = draft.related.iter().filter(|r| self.is_here(&r.place));
        let others = here.map(move |r| label(Some(r.label.clone()), &r.place, false));
        Some(Box::new(std::iter::once(label(None, &draft.place, true)).chain(others)))
    }
}

impl SourceCode for Shown<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, miette::MietteError> {
        let source = self.source().ok_or(miette::MietteError::OutOfBounds)?;
        let inner = source.text().read_span(span, before, after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            source.path().to_display(),
            inner.data(),
            *inner.span(),
            inner.line(),
            inner.column(),
            inner.line_count(),
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
