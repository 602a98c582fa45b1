//! The effect of environment variables, in a separate process.

use std::process::{Command, Output};

use crate::git::commit::{CommitRequest, CommitSelection, GitHooks, commit};
use crate::git::open::{OpenError, open};

use super::sandbox::Sandbox;

/// Not a test: the tests below run it in a process with the environment of their choice.
#[test]
#[ignore = "is run by the other tests"]
fn commits_top_from_the_current_folder() {
    let repo = open(std::path::Path::new(".")).unwrap();
    let paths = ["top".into()];
    let request = CommitRequest { selection: CommitSelection::Literal(&paths), message: "ours", hooks: GitHooks::Run };
    match commit(&repo, &request) {
        Ok(_) => {}
        Err(error) => panic!("{:?}: {error}", error.kind()),
    }
}

fn child(repo: &Sandbox) -> Command {
    let mut child = repo.command(std::env::current_exe().unwrap());
    child.args(["--ignored", "--exact", "git::commit::tests::environment::commits_top_from_the_current_folder"]);
    child
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn edited() -> Sandbox {
    let repo = Sandbox::new();
    repo.write("top", "t2\n");
    repo
}

#[test]
fn identity_and_date_come_from_the_environment() {
    let repo = edited();
    let output = child(&repo)
        .envs([("GIT_AUTHOR_NAME", "An"), ("GIT_AUTHOR_EMAIL", "a@x")])
        .envs([("GIT_COMMITTER_NAME", "Cn"), ("GIT_COMMITTER_EMAIL", "c@x")])
        .env("GIT_COMMITTER_DATE", "2023-11-14T22:13:20+01:00")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let log = repo.git(&["log", "-1", "--format=%an %ae %at %cn %ce %ct"]);
    assert_eq!(log, "An a@x 1700000000 Cn c@x 1699996400");
}

#[test]
fn identity_comes_from_the_user_configuration() {
    let repo = edited();
    repo.git(&["config", "--remove-section", "user"]);
    let output = child(&repo).output().unwrap();
    assert!(!output.status.success());
    assert!(text(&output).contains("Unreadable: git does not know who the author is"), "{}", text(&output));
    repo.git(&["config", "--global", "user.name", "Global"]);
    repo.git(&["config", "--global", "user.email", "g@x"]);
    assert!(child(&repo).output().unwrap().status.success());
    assert_eq!(repo.git(&["log", "-1", "--format=%an"]), "Global");
}

#[test]
fn git_index_file_is_respected() {
    let repo = edited();
    let other = repo.home().join("index");
    std::fs::copy(repo.path(".git/index"), &other).unwrap();
    let own = std::fs::read(repo.path(".git/index")).unwrap();
    let output = child(&repo).env("GIT_INDEX_FILE", &other).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(std::fs::read(repo.path(".git/index")).unwrap(), own);
    let mut status = repo.command("git");
    let status = status.env("GIT_INDEX_FILE", &other).args(["status", "--porcelain"]).output().unwrap();
    assert_eq!(text(&status), "");
}

#[test]
fn a_separate_git_directory_is_found() {
    let repo = edited();
    let elsewhere = repo.home().join("git-dir");
    std::fs::rename(repo.path(".git"), &elsewhere).unwrap();
    let output = child(&repo).env("GIT_DIR", &elsewhere).env("GIT_WORK_TREE", &repo.root).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    std::fs::rename(&elsewhere, repo.path(".git")).unwrap();
    assert_eq!(repo.head_changes(), ["M top"]);
}

#[test]
fn literal_paths_are_relative_to_the_top() {
    let repo = edited();
    repo.write("agent/top", "another\n");
    let output = child(&repo).current_dir(repo.path("agent")).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(repo.head_changes(), ["M top"]);
}

#[test]
fn concurrent_commits_succeed_once_and_the_others_report_contention() {
    let repo = edited();
    let children: Vec<_> = (0..4).map(|_| child(&repo).stdout(std::process::Stdio::piped()).spawn().unwrap()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() || text(&output).contains("Contention"), "{}", text(&output));
    }
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "2");
    assert_eq!(repo.status(), "");
    repo.assert_sound();
}

#[test]
fn a_missing_repository_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let error = open(dir.path()).unwrap_err();
    assert!(matches!(error, OpenError::NotARepository { .. }), "{error}");
    assert!(error.to_string().contains("git init"));
}

#[test]
fn reftables_are_reported_as_unsupported() {
    let repo = Sandbox::new();
    let dir = repo.home().join("tables");
    let made = repo.try_git_in(&repo.root, &["init", "-q", "--ref-format=reftable", dir.to_str().unwrap()]);
    if made.status.success() {
        let error = open(&dir).unwrap_err();
        assert!(error.to_string().contains("git refs migrate"), "{error}");
    }
}
