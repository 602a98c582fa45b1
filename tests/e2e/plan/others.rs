//! Commits on the branch of a run that the run did not make.

use super::run::{ONCE, WORKTREES, behave, project, report, status};
use super::{read, run};
use crate::support::repo::Repo;

const ONE: &str = "steps:\n  - {id: a, owner: A, criteria: c, commands: [\"Run: test -s out/a\"], files: [out/a]}\n";

/// `TOP` is the work tree of the run.
fn behave_at_top(repo: &Repo, line: &str) {
    behave(repo, "a", &line.replace("TOP", &repo.root.display().to_string()));
}

#[test]
fn work_that_a_worker_put_into_the_branch_is_bound_by_its_step() {
    // Moved by the worker itself, with its own branch at the same commit, ahead of it, or back at its start.
    let push = "write out/a; write extra; git add -A; git commit -qm work; git update-ref refs/heads/main HEAD";
    for rest in ["", "; write out/a; git commit -qam more", "; git reset -q --hard HEAD~; write out/a"] {
        let repo = project(ONE, WORKTREES);
        behave_at_top(&repo, &format!("{push}{rest}; git -C TOP reset -q --hard; success\n"));
        let ran = run(&repo, &["exec"], 3);
        let error = report(&repo, "a", 1)["error"].as_str().unwrap().to_owned();
        assert!(
            error.contains("is in the branch already, and changed files that the step does not name: extra"),
            "{error}"
        );
        assert!(error.contains("`git revert "), "{error}");
        assert_eq!(status(&repo, "a"), "blocked", "{rest}: {}", ran.stdout);
    }
    let plan = ONE.replace("files:", "max_diff_lines: 1, files:");
    let repo = project(&plan, ONCE);
    behave_at_top(
        &repo,
        "write out/a; write out/a; git add -A; git commit -qm work; git update-ref refs/heads/main HEAD; git reset -q --hard HEAD~; git -C TOP reset -q --hard; success\n",
    );
    run(&repo, &["exec"], 3);
    let error = report(&repo, "a", 1)["error"].as_str().unwrap().to_owned();
    assert!(error.contains("changed 2 lines, and the step allows 1"), "{error}");
    // Within its bounds, it is the work of the step.
    let repo = project(ONE, ONCE);
    behave_at_top(
        &repo,
        "write out/a; git add -A; git commit -qm work; git update-ref refs/heads/main HEAD; git -C TOP reset -q --hard; success\n",
    );
    run(&repo, &["exec"], 0);
}

#[test]
fn commits_that_a_run_did_not_make_are_named() {
    for owners in [
        "default: {argv: [sh, AGENT], isolation: worktree, retries: 1}\n",
        "default: {argv: [sh, AGENT], retries: 1}\n",
    ] {
        let repo = project(ONE, owners);
        // Nobody can tell whether a worker or a person did it.
        behave_at_top(
            &repo,
            "(cd TOP; echo x >note; git add note; GIT_COMMITTER_NAME=Eve git commit -qm 'A note' note); success\nwrite out/a; success\n",
        );
        let ran = run(&repo, &["exec"], 0);
        let id = repo.git(&["log", "--format=%h", "--grep=A note", "--abbrev=7"]);
        let line = format!("main has a commit that this run did not make: {id} \"A note\" by Eve <");
        assert_eq!(ran.stderr.matches(&line).count(), 1, "{}", ran.stderr);
        let prompt = read(&repo, ".git/canonry/attempts/build/a.2.prompt.md");
        assert_eq!(prompt.contains("the attempt changed nothing"), owners.contains("worktree"), "{prompt}");
    }
    let repo = project(ONE, WORKTREES);
    repo.write("note", "x\n");
    super::run::commit(&repo);
    behave_at_top(&repo, "git -C TOP commit -q --amend -m other; write out/a; success\n");
    let ran = run(&repo, &["exec"], 0);
    assert!(ran.stderr.contains("\"other\" by "), "{}", ran.stderr);
}

#[test]
fn the_commits_of_a_run_are_its_own() {
    let repo = project(super::run::DIAMOND, WORKTREES);
    assert!(!run(&repo, &["exec"], 0).stderr.contains("did not make"));
}
