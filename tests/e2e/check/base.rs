//! `check --base`: changes since the commit at which a branch left another one.

use super::{SKILL, json, rules, skill};
use crate::support::repo::Repo;

fn version(version: &str, body: &str) -> String {
    skill(&format!("metadata:\n  version: \"{version}\"\n"), body)
}

fn commit(repo: &Repo, text: &str) {
    repo.write(SKILL, text);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "change"]);
}

/// Whether the version is to be increased.
fn is_reported(repo: &Repo, args: &[&str]) -> bool {
    rules(&json(repo, args)).contains(&"skill-version-bump")
}

#[test]
fn a_branch_is_compared_with_the_commit_at_which_it_left() {
    let repo = Repo::with_skill();
    commit(&repo, &version("1.0.0", "One.\n"));
    repo.git(&["checkout", "-q", "-b", "topic"]);
    commit(&repo, &version("1.0.0", "Two.\n"));
    repo.write("notes.md", "later\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "later"]);
    // The last commit alone changes no skill.
    assert!(!is_reported(&repo, &["--rev", "HEAD"]));
    assert!(is_reported(&repo, &["--base", "main"]));
    assert!(is_reported(&repo, &["--rev", "HEAD", "--base", "main"]));
    // Later versions of the other branch say nothing about this one.
    repo.git(&["checkout", "-q", "main"]);
    commit(&repo, &version("2.0.0", "Three.\n"));
    repo.git(&["checkout", "-q", "topic"]);
    assert!(is_reported(&repo, &["--base", "main"]));
    commit(&repo, &version("1.1.0", "Two.\n"));
    assert!(!is_reported(&repo, &["--base", "main"]));
    assert!(!is_reported(&repo, &["--rev", "HEAD", "--base", "main"]));
}

#[test]
fn an_unknown_base_is_an_error() {
    let repo = Repo::with_skill();
    commit(&repo, &version("1.0.0", "One.\n"));
    let ran = repo.canonry(&["check", "--base", "nowhere"]);
    assert_ne!(ran.status, 0);
    assert!(ran.stderr.contains("nowhere"), "{}", ran.stderr);
}
