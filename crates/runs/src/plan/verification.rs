//! The verification of a plan: `verification.json`, or a page `verification.md` with a verdict.

use super::markdown_page::without_comments;
use super::phases::ArtifactState;
use canonry_model::canon::phase_artifact::missing_content;
use canonry_model::canon::timestamp::Timestamp;
use canonry_text::json;
use canonry_text::node::{Node, ScalarKind};

/// The file names of a verification, in order of precedence.
pub const VERIFICATION_FILES: [&str; 2] = ["verification.json", "verification.md"];

/// The state of a page that only must not be empty, such as `report.md`.
pub fn page_state(text: &str) -> ArtifactState {
    if missing_content(text).is_some() { ArtifactState::Empty } else { ArtifactState::Valid }
}

/// The state of a verification. `last_report` is the time of the last attempt at a step: an older verification says nothing
/// about it.
pub fn verification_state(file: &str, text: &str, last_report: Option<Timestamp>) -> ArtifactState {
    let (verdict, time) = if file.ends_with(".json") {
        match json::parse(text, 0) {
            Err(error) => return ArtifactState::Invalid(format!("invalid JSON: {error}")),
            Ok(document) => (json_verdict(&document.root), json_time(&document.root)),
        }
    } else if missing_content(text).is_some() {
        return ArtifactState::Empty;
    } else {
        (page_verdict(&without_comments(text)), page_time(text))
    };
    match (verdict, time.zip(last_report)) {
        (Err(why), _) => ArtifactState::Invalid(why.to_owned()),
        (Ok(()), Some((time, last))) if time < last => {
            ArtifactState::Invalid(format!("it is older than the last report, of {last}: verify again"))
        }
        (Ok(()), _) => ArtifactState::Valid,
    }
}

const DOES_NOT_HOLD: &str = "it says that the plan does not hold";

fn json_verdict(root: &Node) -> Result<(), &'static str> {
    let passed = root.get("passed").and_then(Node::as_scalar).map(|scalar| scalar.kind == ScalarKind::Bool(true));
    match (root.get("outcome").and_then(Node::as_str), passed) {
        (Some("success") | None, Some(true)) | (Some("success"), None) => Ok(()),
        (None, None) => Err("it has no `outcome`"),
        _ => Err(DOES_NOT_HOLD),
    }
}

fn json_time(root: &Node) -> Option<Timestamp> {
    root.get("timestamp").and_then(Node::as_str).and_then(Timestamp::parse)
}

/// The last line that begins with `Verdict:` counts.
fn page_verdict(page: &str) -> Result<(), &'static str> {
    let verdict = |line: &str| {
        let line = line.trim_start_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
        line.strip_prefix("verdict").map(str::to_owned)
    };
    let verdict = page.lines().rev().find_map(verdict).ok_or("it has no line `Verdict: holds`")?;
    let fails = ["not hold", "fail", "n't hold"].iter().any(|word| verdict.contains(word));
    let holds = ["holds", "pass", "success"].iter().any(|word| verdict.contains(word));
    match (holds, fails) {
        (true, false) => Ok(()),
        (false, true) => Err(DOES_NOT_HOLD),
        (true, true) | (false, false) => {
            Err("its verdict is not decided: write `Verdict: holds` or `Verdict: does not hold`")
        }
    }
}

/// The first time in a page. A date counts as its last moment.
fn page_time(page: &str) -> Option<Timestamp> {
    let words = page.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()));
    let time = |word: &str| {
        let is_date = word.len() == 10 && word.bytes().filter(|byte| *byte == b'-').count() == 2;
        let is_time = word.len() > 10 && word.as_bytes().get(10) == Some(&b'T');
        match (is_date, is_time) {
            (true, _) => Timestamp::parse(&format!("{word}T23:59:59Z")),
            (_, true) => Timestamp::parse(word),
            _ => None,
        }
    };
    words.into_iter().find_map(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(file: &str, text: &str) -> ArtifactState {
        verification_state(file, text, Timestamp::parse("2026-05-02T12:00:00Z"))
    }

    #[test]
    fn a_page_needs_a_decided_verdict_that_is_not_stale() {
        let page =
            |date: &str, verdict: &str| format!("# Verification: x\n\nCommit abc, {date}, by Ann.\n\n{verdict}\n");
        let of = |date, verdict| state("verification.md", &page(date, verdict));
        assert_eq!(of("2026-05-02", "**Verdict:** holds."), ArtifactState::Valid);
        assert_eq!(of("2026-05-02T13:00:00Z", "Verdict: passed"), ArtifactState::Valid);
        let invalid = |artifact: ArtifactState| match artifact {
            ArtifactState::Invalid(why) => why,
            other => format!("{other:?}"),
        };
        assert!(invalid(of("2026-05-01", "Verdict: holds")).contains("older than the last report"));
        assert!(invalid(of("2026-05-02", "Verdict: holds / does not hold.")).contains("not decided"));
        assert_eq!(invalid(of("2026-05-02", "Verdict: does not hold")), DOES_NOT_HOLD);
        assert!(invalid(of("2026-05-02", "fine")).contains("no line"));
        assert_eq!(state("verification.md", "# Verification\n\n<!-- x -->\n"), ArtifactState::Empty);
    }

    #[test]
    fn a_document_needs_an_outcome_that_is_not_stale() {
        let of = |text: &str| state("verification.json", text) == ArtifactState::Valid;
        assert!(of(r#"{"outcome": "success", "timestamp": "2026-05-02T12:00:00Z"}"#));
        assert!(of(r#"{"passed": true}"#));
        for bad in [
            "{}",
            "[",
            r#"{"outcome": "failure"}"#,
            r#"{"outcome": "success", "passed": false}"#,
            r#"{"passed": "true"}"#,
            r#"{"outcome": "success", "timestamp": "2026-05-02T11:59:59Z"}"#,
        ] {
            assert!(!of(bad), "{bad}");
        }
    }
}
