//! `canonry init`: the binary in isolated repositories.
// The tests set Unix modes and create links.
#![cfg(unix)]

mod adopt;
mod fresh;
mod kill;
mod places;
mod tools;

use crate::support::repo::{Repo, Tree};
use serde_json::Value;

/// The JSON document of a run.
#[track_caller]
fn json(repo: &Repo, args: &[&str], status: i32) -> Value {
    let ran = repo.canonry(&[&["init", "--format", "json"], args].concat()).expect(status);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{e}:\n{}", ran.stdout))
}

fn paths(document: &Value, key: &str) -> Vec<String> {
    document[key].as_array().unwrap().iter().map(|path| path.as_str().unwrap().to_owned()).collect()
}

/// A check with either profile finds nothing, not even an info, except the placeholders of the instructions.
#[track_caller]
fn assert_clean(repo: &Repo) {
    for profile in ["team", "spec"] {
        let ran = repo.check(&["--format", "json", "--profile", profile]).expect(0);
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        let findings = document["findings"].as_array().unwrap();
        assert!(findings.iter().all(|finding| finding["rule"] == "context-placeholder"), "{document:#}");
    }
}

/// Every existing file is unchanged.
#[track_caller]
fn assert_kept(before: &Tree, after: &Tree) {
    for (path, held) in before {
        assert_eq!(after.get(path), Some(held), "{path}");
    }
}
