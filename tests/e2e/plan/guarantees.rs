//! The guarantees of a run, against what workers and people do.

use super::run::{DIAMOND, ONCE, SHARED, WORKTREES, behave, commit, project, read_if, report, status, wait_for};
use super::{read, run};
use crate::support::repo::{Ran, Repo};
use std::os::unix::fs::PermissionsExt as _;

const PLAN: &str = "agent/plans/build/plan.yaml";
const ONE: &str = "steps:\n  - {id: a, owner: A, criteria: c, commands: [\"Run: test -s out/a\"], files: [out/a]}\n";
const PAIR: &str = "steps:
  - {id: a, owner: A, parallel: true, criteria: c, commands: [\"Run: test -s out/a\"], files: [out/a]}
  - {id: b, owner: A, parallel: true, criteria: c, commands: [\"Run: test -s out/b\"], files: [out/b]}
";

fn hook(repo: &Repo, name: &str, script: &str) {
    let path = format!(".git/hooks/{name}");
    repo.write(&path, format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(repo.path(&path), std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn has(repo: &Repo, path: &str) -> bool {
    !repo.git(&["ls-tree", "--name-only", "HEAD", path]).is_empty()
}

fn clean(repo: &Repo) {
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn work_on_another_branch_is_merged() {
    for switch in ["git switch -qc feature/a", "git switch -q --detach", "git branch -qm renamed"] {
        let repo = project(ONE, ONCE);
        behave(&repo, "a", &format!("{switch}; write out/a; git add -A; git commit -qm work; success\n"));
        let ran = run(&repo, &["exec"], 0);
        assert!(ran.stdout.contains("1 of 1 step complete"), "{switch}: {}", ran.stdout);
        assert!(has(&repo, "out/a"), "{switch}");
        clean(&repo);
    }
}

#[test]
fn work_that_does_not_continue_the_branch_is_a_failure() {
    let repo = project(ONE, "default: {argv: [sh, AGENT], isolation: worktree, retries: 1}\n");
    behave(
        &repo,
        "a",
        "git switch -q --orphan other; write out/a; git add -A; git commit -qm work; success\nwrite out/a; success\n",
    );
    run(&repo, &["exec"], 0);
    let error = report(&repo, "a", 1)["error"].as_str().unwrap().to_owned();
    assert!(error.contains("does not continue the branch"), "{error}");
    let prompt = read(&repo, ".git/canonry/attempts/build/a.2.prompt.md");
    assert!(prompt.contains("does not continue the branch"), "{prompt}");
    assert!(has(&repo, "out/a"));
}

#[test]
fn the_reason_of_a_reopened_step_is_committed() {
    let repo = project(ONE, ONCE);
    behave(&repo, "a", "failure 'it does not compile'\n");
    run(&repo, &["exec"], 3);
    run(&repo, &["set", "a", "pending", "--reason", "the compiler is newer now"], 0);
    run(&repo, &["exec"], 0);
    clean(&repo);
    assert!(has(&repo, "agent/reports/build/a.2.json"));
}

#[test]
fn commands_run_on_the_commit() {
    // What git ignores passes in the worker's tree, and is in no commit.
    for commands in ["commands: [\"Run: test -s build/a.txt\"], files: []", "files: [build/a.txt]"] {
        let plan = format!("steps:\n  - {{id: a, owner: A, criteria: c, {commands}}}\n");
        for owners in [ONCE, "default: {argv: [sh, AGENT], retries: 0}\n"] {
            let repo = project(&plan, owners);
            repo.write(".gitignore", "behaviour/\nbuild/\n");
            commit(&repo);
            behave(&repo, "a", "write build/a.txt; success\n");
            let ran = run(&repo, &["exec"], 3);
            assert_eq!(status(&repo, "a"), "blocked", "{}", ran.stdout);
            assert!(
                report(&repo, "a", 1)["error"].as_str().unwrap().contains("build/a.txt"),
                "{}",
                report(&repo, "a", 1)
            );
        }
    }
}

#[test]
fn work_in_the_shared_tree_is_committed() {
    let repo = project(DIAMOND, SHARED);
    // Work of a person, which no step names.
    repo.write("notes.txt", "mine\n");
    run(&repo, &["exec"], 0);
    for step in ["base", "left", "right", "top"] {
        assert!(has(&repo, &format!("out/{step}")), "{step}");
        let commit = report(&repo, step, 1)["commit"].as_str().unwrap().to_owned();
        repo.git(&["merge-base", "--is-ancestor", &commit, "HEAD"]);
    }
    assert_eq!(repo.git(&["status", "--porcelain"]), "?? notes.txt");
    run(&repo, &["verify"], 0);
}

#[test]
fn a_step_without_files_commits_what_changed_since_it_began() {
    let plan = "steps:\n  - {id: a, owner: A, criteria: c, commands: [\"Run: test -s deep/a\"]}\n";
    let repo = project(plan, "default: {argv: [sh, AGENT], retries: 1}\n");
    repo.write("tracked", "old\n");
    commit(&repo);
    repo.write("tracked", "a person's change\n");
    repo.write("untracked", "a person's file\n");
    // The first attempt fails, and its work counts as that of the second.
    behave(&repo, "a", "write deep/a; failure no\nsuccess\n");
    run(&repo, &["exec"], 0);
    assert_eq!(repo.git(&["show", "HEAD:deep/a"]), "a");
    assert_eq!(repo.git(&["show", "HEAD:tracked"]), "old");
    assert!(!has(&repo, "untracked"));
    assert_eq!(read(&repo, "tracked"), "a person's change\n");
}

#[test]
fn fresh_checkouts_are_set_up() {
    let plan = "steps:
  - {id: a, owner: A, parallel: true, criteria: c, commands: [\"Run: test -s deps/x && test -s out/a\"], files: [out/a]}
  - {id: b, owner: A, parallel: true, criteria: c, commands: [\"Run: test -s deps/x && test -s out/b\"], files: [out/b]}
";
    let owners = "setup: mkdir deps && echo x >deps/x\ndefault: {argv: [sh, AGENT], isolation: worktree, retries: 0}\n";
    let repo = project(plan, owners);
    repo.write(".gitignore", "behaviour/\ndeps/\n");
    commit(&repo);
    for step in ["a", "b"] {
        behave(&repo, step, &format!("test -s deps/x && write out/{step} && success\n"));
    }
    run(&repo, &["exec"], 0);
    run(&repo, &["verify"], 0);
    let broken = read(&repo, "agent/owners.yaml").replace("mkdir deps", "echo no registry; false");
    repo.write("agent/owners.yaml", broken);
    run(&repo, &["set", "a", "pending", "--reason", "again"], 0);
    commit(&repo);
    run(&repo, &["exec"], 3);
    let error = report(&repo, "a", 3)["error"].as_str().unwrap().to_owned();
    assert!(error.contains("the setup failed"), "{error}");
}

#[test]
fn a_check_leaves_nothing_for_the_next_one() {
    let check = "Run: test ! -e made && touch made && test ! -s empty && echo full >empty";
    let step =
        |id: &str| format!("  - {{id: {id}, owner: A, criteria: c, commands: [\"{check}\"], files: [out/{id}]}}\n");
    let repo = project(&format!("steps:\n{}{}", step("a"), step("b")), WORKTREES);
    repo.write("empty", "");
    commit(&repo);
    run(&repo, &["exec"], 0);
    assert_eq!(report(&repo, "b", 1)["outcome"], "success");
}

#[test]
fn a_refusing_hook_is_feedback_and_harms_nobody_else() {
    for owners in ["default: {argv: [sh, AGENT], isolation: worktree, retries: 1}\n", SHARED] {
        for name in ["pre-commit", "commit-msg"] {
            let repo = project(PAIR, owners);
            let test =
                if name == "pre-commit" { "git grep -q --cached bad -- out" } else { "grep -q '^a: attempt 1' \"$1\"" };
            hook(&repo, name, &format!("if {test}; then echo 'no bad words'; exit 1; fi"));
            behave(&repo, "a", "mkdir -p out; echo bad >out/a; success\nmkdir -p out; echo good >out/a; success\n");
            behave(&repo, "b", "sleep 1; write out/b; success\n");
            let ran = run(&repo, &["exec"], 0);
            assert!(ran.stderr.contains("a: attempt 1 failed and may be tried again"), "{name}: {}", ran.stderr);
            let prompt = read(&repo, ".git/canonry/attempts/build/a.2.prompt.md");
            assert!(prompt.contains("no bad words"), "{name}: {prompt}");
            assert_eq!(repo.git(&["show", "HEAD:out/a"]), "good", "{name}");
        }
    }
}

#[test]
fn a_worker_that_wrecks_its_own_tree_fails_alone() {
    for wreck in [
        "cd ..; rm -rf \"$OLDPWD\"; printed",
        "git checkout -q -b side; write x; git add -A; git commit -qm x; git checkout -q -b other HEAD~; echo y >x; git add -A; git commit -qm y; git merge side; success",
    ] {
        let repo = project(PAIR, "default: {argv: [sh, AGENT], isolation: worktree, retries: 1}\n");
        behave(&repo, "a", &format!("{wreck}\nwrite out/a; success\n"));
        behave(&repo, "b", "sleep 1; write out/b; success\n");
        let ran = run(&repo, &["exec"], 0);
        assert!(ran.stderr.contains("a: attempt 1 failed and may be tried again"), "{wreck}: {}", ran.stderr);
        assert!(has(&repo, "out/a") && has(&repo, "out/b"), "{wreck}");
    }
}

/// A merge in progress, a lock of git, or a half-saved plan is nobody's failure: the result waits.
#[test]
fn results_wait_for_the_repository() {
    for (begin, end) in [
        ("git rev-parse HEAD >TOP/.git/MERGE_HEAD", "rm TOP/.git/MERGE_HEAD"),
        (": >TOP/.git/index.lock", "rm TOP/.git/index.lock"),
        ("cp TOP/PLAN TOP/.git/saved; echo 'steps: [' >TOP/PLAN", "cp TOP/.git/saved TOP/PLAN"),
    ] {
        let repo = project(PAIR, WORKTREES);
        let at_top = |line: &str| line.replace("PLAN", PLAN).replace("TOP", &repo.root.display().to_string());
        behave(&repo, "a", &format!("sleep 1; {}; write out/a; success\n", at_top(begin)));
        behave(&repo, "b", "sleep 4; write out/b; success\n");
        let errors = std::fs::File::create(repo.tmp().join("errors")).unwrap();
        let mut child = repo.canonry_command().args(["run", "exec"]).stderr(errors).spawn().unwrap();
        let shown = || std::fs::read_to_string(repo.tmp().join("errors")).unwrap();
        wait_for(|| shown().contains("a: attempt 1 has ended; its result waits"));
        assert!(repo.command("sh").args(["-c", &at_top(end)]).status().unwrap().success());
        assert!(child.wait().unwrap().success(), "{begin}: {}", shown());
        assert_eq!(report(&repo, "a", 1)["outcome"], "success", "{begin}");
        assert!(has(&repo, "out/a") && has(&repo, "out/b"), "{begin}");
    }
}

#[test]
fn another_branch_does_not_get_the_work() {
    let repo = project(ONE, WORKTREES);
    repo.git(&["branch", "other"]);
    behave(&repo, "a", &format!("git -C {} switch -q other; write out/a; success\n", repo.root.display()));
    let ran = run(&repo, &["exec"], 5);
    assert!(ran.stderr.contains("the run began on main, and other is checked out now"), "{}", ran.stderr);
    assert!(!has(&repo, "out/a"));
    let ran = run(&repo, &["exec"], 5);
    assert!(ran.stderr.contains("began on main"), "{}", ran.stderr);
    repo.git(&["switch", "-q", "main"]);
    let ran = run(&repo, &["exec"], 0);
    assert!(ran.stderr.contains("a: found attempt 1 of an earlier run"), "{}", ran.stderr);
    assert!(has(&repo, "out/a"));
    assert_eq!(repo.git(&["ls-tree", "other", "out"]), "");
}

#[test]
fn a_plan_that_an_editor_saves_starts_no_second_worker() {
    let repo = project(PAIR, WORKTREES);
    let before = read(&repo, PLAN);
    behave(&repo, "a", "sleep 5; write out/a; success\n");
    behave(&repo, "b", "sleep 5; write out/b; success\n");
    let child = repo.canonry_command().args(["run", "exec"]).stderr(std::process::Stdio::piped()).spawn().unwrap();
    wait_for(|| read_if(&repo, ".git/canonry/attempts/build/b.1.log").contains("working"));
    repo.write(PLAN, &before);
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(!ran.stderr.contains("attempt 2"), "{}", ran.stderr);
    assert_eq!((status(&repo, "a"), status(&repo, "b")), ("complete".to_owned(), "complete".to_owned()));
}

#[test]
fn what_prevents_a_commit_is_found_before_a_worker_starts() {
    for (state, words) in [
        ("git config user.name ''", "git does not know who"),
        ("git config commit.gpgSign true; git config gpg.program false", "could not be signed"),
        ("git rev-parse HEAD >.git/MERGE_HEAD", "a merge is in progress"),
    ] {
        let repo = project(ONE, WORKTREES);
        assert!(repo.command("sh").args(["-c", state]).current_dir(&repo.root).status().unwrap().success());
        let ran = repo.canonry(&["run", "exec"]);
        assert!(ran.status != 0 && ran.stderr.contains(words), "{words}: {} {}", ran.status, ran.stderr);
        assert!(!repo.path(".git/canonry/attempts/build/a.1.log").exists(), "{words}");
    }
}

#[test]
fn an_owner_that_cannot_start_leaves_the_others_alone() {
    let plan = PAIR.replace("id: b, owner: A", "id: b, owner: B");
    let repo =
        project(&plan, "owners: {A: {argv: [no-such-program]}}\ndefault: {argv: [sh, AGENT], isolation: worktree}\n");
    let ran = run(&repo, &["exec"], 3);
    assert!(
        ran.stdout.contains("a: the worker of `A` cannot be started: `no-such-program` not found"),
        "{}",
        ran.stdout
    );
    assert_eq!((status(&repo, "a"), status(&repo, "b")), ("pending".to_owned(), "complete".to_owned()));
}

#[test]
fn a_hook_that_refuses_the_result_of_work_by_hand_is_named() {
    let plan = "steps:\n  - {id: a, owner: A, criteria: c}\n";
    let finish = ["finish", "build", "a", "--details", "done"];
    // The next run commits it, and so does the same command again.
    for again in [&["exec"][..], &finish] {
        let repo = project(plan, SHARED);
        hook(&repo, "pre-commit", "echo not today >&2; exit 1");
        run(&repo, &["set", "a", "in_progress"], 0);
        let ran = run(&repo, &finish, 0);
        for words in ["the plan and its reports are not committed", "not today"] {
            assert!(ran.stdout.contains(words), "{words}: {}", ran.stdout);
        }
        assert_eq!(status(&repo, "a"), "complete");
        std::fs::remove_file(repo.path(".git/hooks/pre-commit")).unwrap();
        run(&repo, again, 0);
        clean(&repo);
    }
}

#[test]
fn work_by_hand_is_verified_on_the_commit() {
    let repo = project(ONE, SHARED);
    repo.write(".gitignore", "behaviour/\nout/\n");
    commit(&repo);
    run(&repo, &["set", "a", "in_progress"], 0);
    repo.write("out/a", "x\n");
    let ran = run(&repo, &["finish", "a", "--details", "done"], 1);
    assert!(format!("{}{}", ran.stdout, ran.stderr).contains("git ignores it"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(status(&repo, "a"), "in_progress");
    repo.write(".gitignore", "behaviour/\n");
    run(&repo, &["finish", "a", "--details", "done"], 0);
    assert!(has(&repo, "out/a"));
    // A report alone makes no step complete.
    let repo = project(ONE, SHARED);
    run(&repo, &["set", "a", "in_progress"], 0);
    repo.write(
        "agent/reports/build/a.1.json",
        "{\"step_id\": \"a\", \"outcome\": \"success\", \"details\": \"d\", \"artifacts\": [], \"timestamp\": \"2026-01-02T03:04:05Z\"}\n",
    );
    let ran = run(&repo, &["set", "a", "complete"], 5);
    assert!(ran.stderr.contains("`a` cannot become complete: `test -s out/a` exited 1"), "{}", ran.stderr);
}

#[test]
fn a_status_that_somebody_wrote_is_no_success() {
    let repo = project(&ONE.replace("criteria: c", "status: complete, criteria: c"), SHARED);
    repo.write(
        "agent/reports/build/verification.md",
        "# Verification\n\nVerdict: holds\n\nEverything was looked at.\n",
    );
    let ran = run(&repo, &["report", "--write"], 5);
    assert!(ran.stderr.contains("`a` is complete without a report of success"), "{}", ran.stderr);
    assert!(run(&repo, &["report"], 0).stdout.contains("incomplete"));
}

#[test]
fn a_person_rejects_a_step() {
    let repo = project(PAIR, WORKTREES);
    let ran = run(&repo, &["set", "a", "blocked"], 5);
    assert!(ran.stderr.contains("add `--reason TEXT`"), "{}", ran.stderr);
    run(&repo, &["set", "a", "blocked", "--reason", "not this way"], 0);
    let ran = run(&repo, &["exec"], 3);
    let line = "a: blocked: not this way; `canonry run set build a pending --reason TEXT` tries it again";
    assert!(ran.stdout.contains(line), "{}", ran.stdout);
    assert_eq!(status(&repo, "b"), "complete");
    // The decision is committed.
    clean(&repo);
    assert!(has(&repo, "agent/reports/build/a.1.json"));
    run(&repo, &["set", "a", "pending", "--reason", "talked about it"], 0);
    run(&repo, &["exec"], 0);
    clean(&repo);
}

#[test]
fn an_approval_is_committed_with_its_step() {
    let repo = project(&ONE.replace("criteria: c", "approval: true, criteria: c"), WORKTREES);
    run(&repo, &["approve", "a", "--reason", "fine"], 0);
    run(&repo, &["exec"], 0);
    clean(&repo);
    let files = repo.git(&["show", "--format=", "--name-only", "HEAD"]);
    assert_eq!(
        files.lines().collect::<Vec<_>>(),
        ["agent/approvals/build/a.json", "agent/plans/build/plan.yaml", "agent/reports/build/a.1.json"]
    );
}

#[test]
fn what_a_verification_found_can_be_reverted_later() {
    let plan = "steps:\n  - {id: a, owner: A, criteria: c, commands: [\"Run: test ! -e gone\"], files: [out/a]}\n";
    for owners in [WORKTREES, SHARED] {
        let repo = project(plan, owners);
        run(&repo, &["exec"], 0);
        repo.write("gone", "x\n");
        commit(&repo);
        run(&repo, &["verify"], 1);
        assert!(has(&repo, "out/a"));
        let ran = run(&repo, &["verify", "--revert"], 1);
        assert!(ran.stdout.contains("a: reverted by"), "{}", ran.stdout);
        assert!(!has(&repo, "out/a"));
    }
}

#[test]
fn a_blocked_worker_without_an_error_keeps_its_words() {
    let repo = project(ONE, WORKTREES);
    let text = "{\"step_id\": \"a\", \"outcome\": \"blocked\", \"details\": \"the account is locked\", \"artifacts\": [], \"timestamp\": \"2026-01-02T03:04:05Z\"}";
    behave(&repo, "a", &format!("echo '{text}' >\"$CANONRY_REPORT\"\n"));
    let ran = run(&repo, &["exec"], 3);
    assert!(
        ran.stdout.contains("1 attempt in this run") && ran.stdout.contains("the account is locked"),
        "{}",
        ran.stdout
    );
}

#[test]
fn no_process_of_a_worker_outlives_its_step() {
    let repo = project(ONE, WORKTREES);
    behave(&repo, "a", "setsid sh -c 'sleep 3; echo late >>../late' >/dev/null 2>&1 & write out/a; success\n");
    run(&repo, &["exec"], 0);
    let environments = std::fs::read_dir("/proc").unwrap().flatten().map(|process| process.path().join("environ"));
    let plan = format!("CANONRY_REPORT={}", repo.root.parent().unwrap().display());
    let left = environments.filter(|file| {
        let text = std::fs::read(file).unwrap_or_default();
        text.split(|byte| *byte == 0).any(|entry| entry.starts_with(plan.as_bytes()))
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn a_closed_terminal_ends_the_workers() {
    let repo = project(ONE, "default: {argv: [sh, AGENT], retries: 0}\n");
    behave(&repo, "a", "hang\n");
    let mut child = repo.canonry_command().args(["run", "exec"]).stderr(std::process::Stdio::null()).spawn().unwrap();
    wait_for(|| read_if(&repo, ".git/canonry/attempts/build/a.1.log").contains("working"));
    repo.command("kill").args(["-HUP", &child.id().to_string()]).status().unwrap();
    child.wait().unwrap();
    assert_eq!(
        (report(&repo, "a", 1)["cause"].as_str(), status(&repo, "a").as_str()),
        (Some("interrupted"), "pending")
    );
}

#[test]
fn a_run_goes_on_after_a_failure_unless_it_is_told_not_to() {
    let plan = PAIR.replace("parallel: true, ", "");
    for (args, want) in [(&["exec"][..], "complete"), (&["exec", "--fail-fast"], "pending")] {
        let repo = project(&plan, ONCE);
        behave(&repo, "a", "failure no\n");
        run(&repo, args, 3);
        assert_eq!((status(&repo, "a").as_str(), status(&repo, "b").as_str()), ("blocked", want));
    }
}

#[test]
fn an_open_question_stops_a_run() {
    let repo = project(ONE, WORKTREES);
    let intake = "# Intake\n\n## Acceptance criteria\n\n1. It works.\n\n## Open questions\n\n- Which limit?\n";
    repo.write("agent/plans/build/intake.md", intake);
    let ran = run(&repo, &["exec"], 5);
    assert!(ran.stderr.contains("intake.md is not closed: it has an open question: Which limit?"), "{}", ran.stderr);
    repo.write("agent/plans/build/intake.md", intake.replace("- Which limit?", "None."));
    run(&repo, &["exec"], 0);
}

#[test]
fn a_plan_that_an_editor_saves_later_starts_no_second_worker() {
    for owners in [ONCE, "default: {argv: [sh, AGENT], retries: 0}\n"] {
        let repo = project(PAIR, owners);
        let before = read(&repo, PLAN);
        behave(&repo, "a", "write out/a; success\n");
        behave(&repo, "b", "fail\nwrite out/b; success\n");
        run(&repo, &["exec"], 3);
        repo.write(PLAN, &before);
        let ran = run(&repo, &["exec"], 3);
        assert!(ran.stderr.contains("a: complete since attempt 1"), "{}", ran.stderr);
        assert_eq!(
            (status(&repo, "a").as_str(), repo.path("agent/reports/build/a.2.json").exists()),
            ("complete", false)
        );
        // A person reopens it, and then it is done again.
        run(&repo, &["set", "a", "pending", "--reason", "again"], 0);
        run(&repo, &["exec", "a"], 0);
        assert_eq!(report(&repo, "a", 3)["outcome"], "success");
        // Work that somebody reverted is no longer done.
        repo.write(PLAN, &before);
        std::fs::remove_file(repo.path("out/a")).unwrap();
        commit(&repo);
        run(&repo, &["exec", "a"], 3);
        assert_eq!(status(&repo, "a"), "pending");
    }
}

#[test]
fn a_completion_that_a_committed_plan_forgot_is_committed_again() {
    let repo = project(ONE, WORKTREES);
    let before = read(&repo, PLAN);
    run(&repo, &["exec"], 0);
    repo.write(PLAN, &before);
    commit(&repo);
    let ran = run(&repo, &["exec"], 0);
    assert!(ran.stderr.contains("complete since attempt 1"), "{}", ran.stderr);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    assert!(repo.git(&["show", &format!("HEAD:{PLAN}")]).contains("complete"));
}
