//! Runs over a corpus of 621 real skills, including hostile and malformed ones, as the canon of a scratch repository.
//! These tests are ignored by default, because the corpus is not in the repository.

use crate::support::corpus::{Scratch, corpus};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Every path with its bytes, or the destination of its link.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap).filter(|e| !e.file_type().is_dir());
    files
        .map(|e| {
            let path = e.path().to_owned();
            let bytes = if e.path_is_symlink() {
                std::fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else {
                std::fs::read(&path).unwrap()
            };
            (path, bytes)
        })
        .collect()
}

fn count(document: &Value, key: &str) -> usize {
    document[key].as_array().unwrap().len()
}

#[test]
#[ignore = "needs a corpus of skills: CANONRY_SHARED, run by .ci/nightly"]
fn nightly_checks_syncs_and_commits_the_corpus() {
    let corpus = corpus();
    let scratch = Scratch::new(&corpus);
    let before = snapshot(&scratch.canon());

    let (status, found) = scratch.canonry(&["check", "--format", "json"]);
    println!("check: status {status}, {}", found["summary"]);
    assert_eq!(status, 1);
    assert!(found["summary"]["skills"].as_u64().unwrap() >= 621);

    let (status, synced) = scratch.canonry(&["sync", "--commit", "--format", "json"]);
    println!("sync: status {status}, {} written, {} refused", count(&synced, "written"), count(&synced, "refused"));
    assert_eq!(status, 5, "the corpus has skills with the same name");
    assert!(count(&synced, "written") > 1000);
    let after: BTreeMap<_, _> = snapshot(&scratch.canon());
    assert!(before == after, "the canon is unchanged");

    let (status, again) = scratch.canonry(&["sync", "--format", "json"]);
    assert_eq!((status, count(&again, "written"), count(&again, "removed")), (5, 0, 0));
    assert_eq!(again["unchanged"], synced["written"].as_array().unwrap().len());

    for path in synced["written"].as_array().unwrap() {
        let path = path.as_str().unwrap();
        assert!(scratch.folder.path().join(path).symlink_metadata().is_ok(), "{path}");
    }
    let dirty =
        scratch.git(&["status", "--porcelain", "--", ".claude", ".gemini", ".cursor", ".codex", ".antigravity"]);
    assert_eq!(dirty, "", "the commit contains every mirror");
    let (_, at_head) = scratch.canonry(&["check", "--rev", "HEAD", "--format", "json"]);
    let drift =
        at_head["findings"].as_array().unwrap().iter().filter(|f| f["rule"].as_str().unwrap().starts_with("mirror-"));
    assert_eq!(drift.count(), 0, "canon and mirrors in the commit agree");
}

#[test]
#[ignore = "needs a corpus of skills: CANONRY_SHARED, run by .ci/nightly"]
fn nightly_spec_profile_agrees_with_every_label() {
    let corpus = corpus();
    let scratch = Scratch::new(&corpus);
    let labels = std::fs::read_to_string(corpus.join("labels_dev.jsonl")).unwrap();
    let labels: Vec<Value> = labels.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let path = |label: &Value| format!("agent/skills/{}", label["path"].as_str().unwrap());

    let mut args = vec!["check".to_owned(), "--profile=spec".to_owned(), "--format=json".to_owned()];
    args.extend(labels.iter().map(path));
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (_, found) = scratch.canonry(&args);
    let mut errors: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for finding in found["findings"].as_array().unwrap().iter().filter(|f| f["severity"] == "error") {
        errors.entry(finding["path"].as_str().unwrap()).or_default().push(finding["rule"].as_str().unwrap());
    }
    let wrong: Vec<String> = labels
        .iter()
        .filter(|label| errors.contains_key(path(label).as_str()) == label["valid"].as_bool().unwrap())
        .map(|label| format!("{}: {:?} against {}", path(label), errors.get(path(label).as_str()), label["violations"]))
        .collect();
    println!("labels: {} of {} agree", labels.len() - wrong.len(), labels.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
