//! `canonry import`: the binary in isolated repositories with the files of real tools.
// The tests set Unix modes and create links.
#![cfg(unix)]

mod copies;
mod generated;
mod layouts;
mod leftovers;
mod meaning;
mod prompts;
mod ruler;
mod rulesync;
mod safety;
mod secrets;
mod takeover;
mod then_init;
mod tools;
mod workflows;

use crate::support::repo::{Repo, Tree};
use serde_json::Value;

/// The JSON document of a run.
#[track_caller]
fn json(repo: &Repo, args: &[&str], status: i32) -> Value {
    let ran = repo.canonry(&[&["import", "--format", "json"], args].concat()).expect(status);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{e}:\n{}", ran.stdout))
}

/// The imported items as `from -> to`, sorted.
fn taken(document: &Value) -> Vec<String> {
    let line = |taken: &Value| {
        let from: Vec<&str> = taken["from"].as_array().unwrap().iter().map(|from| from.as_str().unwrap()).collect();
        format!("{} -> {}", from.join(", "), taken["to"].as_str().unwrap())
    };
    let mut all: Vec<String> = document["taken"].as_array().unwrap().iter().map(line).collect();
    all.sort();
    all
}

/// The reasons for which a path was skipped.
fn left<'d>(document: &'d Value, path: &str) -> Vec<&'d str> {
    let all = document["left"].as_array().unwrap().iter().filter(|left| left["path"] == path);
    all.map(|left| left["reason"].as_str().unwrap()).collect()
}

fn changes(document: &Value, to: &str) -> String {
    let all = document["taken"].as_array().unwrap();
    let taken = all.iter().find(|taken| taken["to"] == to).unwrap_or_else(|| panic!("{to}: {document:#}"));
    taken["changes"].as_array().unwrap().iter().map(|change| change.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

/// Every existing file is unchanged.
#[track_caller]
fn assert_kept(before: &Tree, after: &Tree) {
    for (path, held) in before {
        assert_eq!(after.get(path), Some(held), "{path}");
    }
}

/// A second run changes nothing and says so.
#[track_caller]
fn assert_done(repo: &Repo, args: &[&str]) {
    let before = repo.tree();
    let document = json(repo, args, 0);
    assert_eq!(document["written"], Value::Array(Vec::new()), "{document:#}");
    assert!(document["taken"].as_array().unwrap().iter().all(|taken| taken["new"] == 0), "{document:#}");
    repo.canonry(&[&["import"], args].concat()).expect(0).says(&["Nothing to import from"]);
    assert_eq!(repo.tree(), before);
}
