//! Verdicts of the `spec` profile against labelled skills, where the labels are at hand: in the folder that
//! `CANONRY_SHARED` names, or in `shared` beside the checkout. Elsewhere there is nothing to compare.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use canonry::canon::Mode;
use canonry::finding::Severity;
use canonry::rules::Profile;
use canonry::syntax::RepoPath;
use common::memory::{Files, brief};
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("CANONRY_SHARED").map_or_else(beside, PathBuf::from);
    Some(shared.join("corpus")).filter(|corpus| corpus.join("labels_dev.jsonl").is_file())
}

/// The document under its own path, so that its folder's name counts, with what it links to. A link was exported as
/// a file that holds the target's path and nothing else. `None` where it leads nowhere: what is said of those does
/// not depend on the frontmatter.
fn load(dev: &Path, path: &str) -> Option<Files> {
    let content = std::fs::read(dev.join(path)).unwrap();
    let mut files = Files::default();
    if !(content.starts_with(b"../") && content.ends_with(b".md")) {
        files.add(path, content);
        return Some(files);
    }
    let target = RepoPath::from(path).resolve_beside(&content)?.to_display();
    let target_content = std::fs::read(dev.join(&target)).ok()?;
    files.add(&target, target_content).add_mode(path, Mode::Link, content);
    Some(files)
}

#[test]
fn spec_profile_agrees_with_every_label() {
    let Some(corpus) = corpus() else { return };
    let labels = std::fs::read_to_string(corpus.join("labels_dev.jsonl")).unwrap();
    let mut disagreements = Vec::new();
    let mut compared = 0;
    for line in labels.lines() {
        let label: serde_json::Value = serde_json::from_str(line).unwrap();
        let path = label["path"].as_str().unwrap();
        let Some(files) = load(&corpus.join("dev"), path) else { continue };
        let found = files.findings(Profile::Spec);
        let valid = found.iter().all(|finding| finding.severity < Severity::Error);
        compared += 1;
        if valid != label["valid"].as_bool().unwrap() {
            disagreements.push(format!("{path}: {:?}, but {}", brief(&found), label["violations"]));
        }
    }
    assert!(compared > 0, "no label could be compared");
    assert!(disagreements.is_empty(), "{} of {compared}:\n{}", disagreements.len(), disagreements.join("\n"));
}
