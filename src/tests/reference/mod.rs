//! Compares the `spec` profile with the reference validator of the specification on generated frontmatter: both accept,
//! both reject, or `classes` explains the difference.
//!
//! Runs if `python3`, or the program in `CANONRY_REFERENCE_PYTHON`, can import `skills_ref` (0.1.1).
//! `CANONRY_CASES` sets the number of cases.

mod classes;
mod generate;

use crate::tests::files::Files;
use canonry_lint::Profile;
use canonry_model::finding::Severity;
use generate::GeneratedCase;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

const CASES: usize = 2_000;

/// Reads one JSON object per line with the folder's name and the document's text; prints one line of errors for each.
const VALIDATOR: &str = r#"
import json, sys
from pathlib import Path
from skills_ref.parser import parse_frontmatter
from skills_ref.validator import validate_metadata
for line in sys.stdin:
    case = json.loads(line)
    try:
        metadata, _ = parse_frontmatter(case["text"])
        errors = validate_metadata(metadata, Path(case["folder"]))
    except Exception as e:
        errors = [type(e).__name__ + ": " + str(e)]
    print(json.dumps(errors))
"#;

fn theirs(python: &str, cases: &[GeneratedCase]) -> Vec<Vec<String>> {
    let mut child =
        Command::new(python).args(["-c", VALIDATOR]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines: String = cases
        .iter()
        .map(|case| serde_json::json!({"folder": case.folder, "text": case.text}).to_string() + "\n")
        .collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()).unwrap());
    let out = child.wait_with_output().unwrap();
    writer.join().unwrap();
    String::from_utf8(out.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The rules that report an error.
fn ours(case: &GeneratedCase) -> Vec<&'static str> {
    let mut files = Files::default();
    files.add(&format!("skills/{}/SKILL.md", case.folder), &case.text);
    let findings = files.findings(Profile::Spec);
    findings.iter().filter(|finding| finding.severity == Severity::Error).map(|finding| finding.rule.id).collect()
}

#[test]
#[ignore = "needs python3 with skills_ref"]
fn needs_skills_ref_agrees_with_the_reference_validator() {
    let python = std::env::var("CANONRY_REFERENCE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let count = std::env::var("CANONRY_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(CASES);
    let cases = generate::cases(count);
    let theirs = theirs(&python, &cases);
    assert_eq!(theirs.len(), cases.len());
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unexplained = Vec::new();
    for (case, theirs) in cases.iter().zip(&theirs) {
        let ours = ours(case);
        let verdict = match (ours.is_empty(), theirs.is_empty()) {
            (true, true) => "both accept",
            (false, false) => "both reject",
            _ => classes::class(case, &ours, theirs).unwrap_or("unexplained"),
        };
        *counts.entry(verdict).or_default() += 1;
        if verdict == "unexplained" {
            unexplained.push(format!("{case:?}\n  ours: {ours:?}\n  theirs: {theirs:?}"));
        }
    }
    eprintln!("{} frontmatters: {counts:#?}", cases.len());
    assert!(
        unexplained.is_empty(),
        "{} of them:\n{}",
        unexplained.len(),
        unexplained[..unexplained.len().min(12)].join("\n")
    );
    // The generator must produce valid and invalid cases.
    assert!(counts["both accept"] > count / 20 && counts["both reject"] > count / 5, "{counts:?}");
}
