//! Findings as workflow commands of GitHub Actions, which GitHub shows as annotations.
//!
//! GitHub shows ten errors and ten warnings of a step as annotations. The others are in the log, followed by the summary.

use super::check::summary;
use canonry_app::check::CheckReport;
use canonry_lint::Finding;
use canonry_model::finding::Severity;

/// One command per finding, then the summary.
pub fn findings(report: &CheckReport) -> String {
    let mut text: String = report.findings.iter().map(command).collect();
    text.push_str(&summary(report));
    text
}

fn command(finding: &Finding) -> String {
    let kind = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info | Severity::Off => "notice",
    };
    let location = &finding.location;
    let mut properties = format!("file={},line={}", property(&location.path.to_display()), location.position.line);
    if let Some(source) = location.source.as_deref().filter(|_| location.span.length > 0) {
        let end = source.position(location.span.end());
        properties.push_str(&format!(",endLine={},col={}", end.line, location.position.column));
        if end.line == location.position.line {
            properties.push_str(&format!(",endColumn={}", end.column));
        }
    }
    let help = finding.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
    format!("::{kind} {properties},title={}::{}\n", finding.rule.id, data(&format!("{}{help}", finding.message)))
}

/// Escapes line ends and `%`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The same as [`data`], and the characters that end a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::finding::Location;
    use canonry_text::{RepoPath, Source, Span};
    use std::sync::Arc;

    #[test]
    fn commands_escape_special_characters() {
        let source = Arc::new(Source::new(RepoPath::from("a,b:c%.md"), "é word\n".to_owned()));
        let rule = canonry_lint::find("orphan-file").unwrap();
        let found = rule.at(Location::at(&source, Span::new(3, 7)), "50% of\r\nit: a, b").help("do: it");
        let want = "::notice file=a%2Cb%3Ac%25.md,line=1,endLine=1,col=3,endColumn=7,title=orphan-file::50%25 of%0D%0Ait: a, b%0Ado: it\n";
        assert_eq!(command(&found), want);
    }

    #[test]
    fn a_whole_file_is_annotated_at_line_one() {
        let found = canonry_lint::find("secret").unwrap().at(Location::file(&RepoPath::from("a")), "m");
        assert_eq!(command(&found), "::error file=a,line=1,title=secret::m\n");
    }
}
