//! Reports compared with the change that adds them, in a commit, in the index, and in a clone without history.

use super::{json, rules};
use crate::support::repo::Repo;

const PLAN: &str = "agent/plans/orders/plan.yaml";
const REPORT: &str = "agent/reports/orders/sort.1.json";

/// A committed plan with one step that may change `src/sort.rs` by two lines.
fn repo() -> Repo {
    let repo = Repo::with_skill();
    repo.write(
        PLAN,
        "steps:\n  - {id: sort, owner: A, criteria: c, status: in_progress, files: [src/sort.rs], max_diff_lines: 2}\n",
    );
    repo.write("src/sort.rs", "one\n");
    commit(&repo, "a plan");
    repo
}

fn commit(repo: &Repo, message: &str) -> String {
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", message]);
    repo.git(&["rev-parse", "HEAD"])
}

fn report(artifacts: &[(&str, &str)], more: &str) -> String {
    let artifacts: Vec<String> =
        artifacts.iter().map(|(file, status)| format!(r#"{{"file": "{file}", "status": "{status}"}}"#)).collect();
    format!(
        r#"{{"step_id": "sort", "outcome": "success", "details": "", "artifacts": [{}], "timestamp": "2026-05-01T09:30:00Z"{more}}}"#,
        artifacts.join(", ")
    )
}

/// The ids of the report rules that fire.
fn found(repo: &Repo, args: &[&str]) -> Vec<String> {
    let document = json(repo, args);
    rules(&document).into_iter().filter(|rule| rule.starts_with("report-")).map(str::to_owned).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn a_commit_proves_what_an_attempt_changed() {
    let repo = repo();
    repo.write("src/sort.rs", "one\ntwo\n");
    repo.write("src/other.rs", "1\n2\n3\n");
    let work = commit(&repo, "work");
    repo.write(REPORT, report(&[("src/sort.rs", "modified")], &format!(r#", "commit": "{work}""#)));
    let outside = ["report-file-outside-step", "report-file-outside-step"];
    for args in [&[][..], &[REPORT]] {
        let mut rules = found(&repo, args);
        rules.sort();
        assert_eq!(rules, outside, "{args:?}");
    }
    repo.git(&["add", "-A"]);
    assert_eq!(found(&repo, &["--staged"]).len(), 2);
    commit(&repo, "report");
    assert_eq!(found(&repo, &["--rev", "HEAD"]).len(), 2);
    // A later commit is not judged by an older report.
    repo.write("src/later.rs", "x\n");
    commit(&repo, "later");
    assert_eq!((found(&repo, &["--rev", "HEAD"]), found(&repo, &[])), (Vec::new(), Vec::new()));
}

#[test]
fn without_a_commit_the_listed_files_count() {
    let repo = repo();
    repo.write("src/sort.rs", "one\ntwo\nthree\nfour\n");
    repo.write(REPORT, report(&[("src/sort.rs", "modified")], ""));
    commit(&repo, "work and report");
    assert_eq!(found(&repo, &["--rev", "HEAD"]), ["report-file-outside-step"]);
    assert_eq!(found(&repo, &[]), NONE);
}

#[test]
fn a_commit_must_exist() {
    let repo = repo();
    let with = |commit: &str| report(&[], &format!(r#", "commit": "{commit}""#));
    let blob = repo.git(&["rev-parse", "HEAD:src/sort.rs"]);
    for (commit, want) in [
        (&repo.git(&["rev-parse", "--short=10", "HEAD"])[..], &NONE[..]),
        ("0123456789", &["report-artifact-missing"]),
        (&blob, &["report-artifact-missing"]),
    ] {
        repo.write(REPORT, with(commit));
        assert_eq!(found(&repo, &[]), want, "{commit}");
    }
    // A shallow clone cannot know.
    repo.write(REPORT, with("0123456789"));
    commit(&repo, "report");
    let top = &repo.root;
    repo.git(&["clone", "-q", "--depth", "1", &format!("file://{}", top.display()), "clone"]);
    let ran =
        repo.canonry_command().current_dir(repo.path("clone")).args(["check", "--format", "json"]).output().unwrap();
    let text = String::from_utf8_lossy(&ran.stdout);
    assert!(text.contains("\"findings\"") && !text.contains("report-commit"), "{text}");
}

#[test]
fn artifacts_must_exist_in_the_change_or_in_the_history() {
    let repo = repo();
    let missing = ["report-artifact-missing"];
    repo.write(REPORT, report(&[("src/none.rs", "created"), ("src/sort.rs", "modified")], ""));
    assert_eq!(found(&repo, &[]), ["report-artifact-missing", "report-file-outside-step"]);
    commit(&repo, "report");
    assert_eq!(found(&repo, &[]), missing);
    assert_eq!(found(&repo, &["--rev", "HEAD"]).len(), 2);
    // Later work may remove the file of an older report.
    repo.write(REPORT, report(&[("src/sort.rs", "modified")], ""));
    commit(&repo, "corrected");
    repo.git(&["rm", "-q", "src/sort.rs"]);
    commit(&repo, "removed");
    assert_eq!(found(&repo, &[]), NONE);
    repo.write(".gitignore", "dist/\n");
    repo.write("agent/plans/orders/plan.yaml", "steps:\n  - {id: sort, owner: A, criteria: c, status: in_progress}\n");
    repo.write(REPORT, report(&[("dist/app.js", "created")], ""));
    assert_eq!(found(&repo, &[]), NONE);
    commit(&repo, "built");
    assert_eq!(found(&repo, &["--rev", "HEAD"]), NONE);
}
