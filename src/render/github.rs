//! Findings as GitHub's workflow commands, which a run in its CI shows beside the lines.
//!
//! GitHub shows ten errors and ten warnings of a step as annotations and keeps all others in the log, where the summary
//! comes last.

use super::{Report, human};
use crate::finding::{Finding, Severity};

/// A command a finding, then the summary.
pub fn findings(report: &Report<'_>) -> String {
    let mut text: String = report.findings().iter().map(command).collect();
    text.push_str(&human::closing(report));
    text
}

fn command(finding: &Finding) -> String {
    let kind = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info | Severity::Off => "notice",
    };
    let draft = &finding.raw;
    let place = &draft.location;
    let mut properties = format!("file={},line={}", property(&place.path.to_display()), place.position.line);
    if let Some(source) = place.source.as_deref().filter(|_| place.span.length > 0) {
        let end = source.position(place.span.end());
        properties.push_str(&format!(",endLine={},col={}", end.line, place.position.column));
        if end.line == place.position.line {
            properties.push_str(&format!(",endColumn={}", end.column));
        }
    }
    let help = draft.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
    format!("::{kind} {properties},title={}::{}\n", property(finding.rule), data(&format!("{}{help}", draft.message)))
}

/// What would end the line, or be taken for an escape.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The same, and what would end the property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Location, RawFinding, resolve};
    use crate::syntax::{RepoPath, Source, Span};
    use std::sync::Arc;

    #[test]
    fn escapes_what_would_end_a_command() {
        let source = Arc::new(Source::new(RepoPath::from("a,b:c%.md"), "é word\n".to_owned()));
        let draft = RawFinding::new(Location::at(&source, Span::new(3, 7)), "50% of\r\nit: a, b").help("do: it");
        let found = resolve(vec![("r", draft)], |_, _| Severity::Info);
        let want = "::notice file=a%2Cb%3Ac%25.md,line=1,endLine=1,col=3,endColumn=7,title=r::50%25 of%0D%0Ait: a, b%0Ado: it\n";
        assert_eq!(command(&found[0]), want);
    }

    #[test]
    fn a_file_as_a_whole_is_its_first_line() {
        let draft = RawFinding::new(Location::file(&RepoPath::from("a")), "m");
        let found = resolve(vec![("r", draft)], |_, _| Severity::Error);
        assert_eq!(command(&found[0]), "::error file=a,line=1,title=r::m\n");
    }
}
