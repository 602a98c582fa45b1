//! One line per finding, for editors and line-oriented tools.

use super::excerpt::escape_line;
use canonry_app::check::CheckReport;
use canonry_lint::Finding;

/// A line for each finding, in the order of paths.
pub fn findings(report: &CheckReport) -> String {
    report.findings.iter().map(line).collect()
}

fn line(finding: &Finding) -> String {
    let location = &finding.location;
    let path = location.path.to_display();
    format!(
        "{}:{}:{}: {}[{}] {}\n",
        escape_line(if path.is_empty() { "." } else { &path }),
        location.position.line,
        location.position.column,
        finding.severity.as_str(),
        finding.rule.id,
        escape_line(&finding.message)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::finding::Location;
    use canonry_text::{RepoPath, Source, Span};
    use std::sync::Arc;

    #[test]
    fn a_finding_is_one_line() {
        let source = Arc::new(Source::new(RepoPath::from("a/b c.md"), "one\ntwo\n".to_owned()));
        let rule = |id: &str| canonry_lint::find(id).unwrap();
        let one = rule("home-path").at(Location::at(&source, Span::new(5, 6)), "50%\nof \u{202e}it").help("do it");
        let whole = rule("secret").at(Location::file(&RepoPath::from("z")), "m");
        let report = CheckReport { findings: vec![one, whole], ..CheckReport::default() };
        let want = "a/b c.md:2:2: warning[home-path] 50% of <U+202E>it\nz:1:1: error[secret] m\n";
        assert_eq!(findings(&report), want);
    }
}
