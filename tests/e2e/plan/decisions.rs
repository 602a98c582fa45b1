//! Decisions about a step that two clones share, after kills, older plans that an editor saves, and reopened steps.

use super::clones::kill_group;
use super::run::{ONCE, WORKTREES, behave, commit, project, read_if, report, status, wait_for};
use super::shared::second_clone;
use super::{read, run};
use crate::support::failpoints::{failpoints_of, interrupt};
use crate::support::repo::Repo;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;

const PLAN: &str = "agent/plans/build/plan.yaml";
const TEXT: &str = "steps:
  - id: a
    owner: A
    criteria: c
    files: [out/a]
    commands: [\"Run: test -s out/a\"]
    status: pending
";

/// Two clones whose agent does what `script` says, a line per attempt.
fn team(owners: &str, script: &str) -> [Repo; 2] {
    let one = project(TEXT, owners);
    one.write("canonry.yaml", "plans: {remote: origin}\n");
    commit(&one);
    let two = second_clone(&one);
    behave(&one, "a", script);
    [one, two]
}

fn push(repo: &Repo) {
    repo.git(&["push", "-q", "origin", "main"]);
}

fn pull(repo: &Repo) {
    repo.git(&["pull", "-q"]);
}

/// The plan with another status of its step, as an editor saves it.
fn save(repo: &Repo, status: &str) {
    repo.write(PLAN, TEXT.replace("pending", status));
}

#[track_caller]
fn waits_for(repo: &Repo, commit: &str) {
    let ran = run(repo, &["claim", "a", "--as", "w2"], 4);
    assert!(ran.stderr.contains(&format!("`a` has a result in commit {commit}")), "{}", ran.stderr);
}

fn head(repo: &Repo) -> String {
    repo.git(&["rev-parse", "--short=10", "HEAD"])
}

#[test]
fn the_commit_that_reopens_a_step_is_waited_for() {
    let [one, two] = team(ONCE, "blocked 'no database'\n");
    run(&one, &["exec"], 3);
    push(&one);
    pull(&two);
    run(&one, &["set", "a", "pending", "--reason", "it runs now"], 0);
    run(&one, &["claim", "a"], 0);
    run(&one, &["set", "a", "in_progress"], 0);
    run(&one, &["finish", "build", "a", "--failed", "it does not run"], 0);
    save(&two, "pending");
    waits_for(&two, &head(&one));
    push(&one);
    two.git(&["checkout", "-q", PLAN]);
    pull(&two);
    run(&two, &["claim", "a", "--as", "w2"], 0);
}

/// The work is in the branch, and a hook refuses the commit of the status.
#[test]
fn a_decision_that_a_hook_refuses_is_waited_for() {
    let [one, two] = team(WORKTREES, "write out/a; success\n");
    let hook = one.path(".git/hooks/pre-commit");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\n! git diff --cached --name-only | grep -q plan.yaml\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let ran = run(&one, &["exec"], 0);
    assert!(ran.stderr.contains("the plan and its reports are not committed"), "{}", ran.stderr);
    push(&one);
    pull(&two);
    assert_eq!((status(&one, "a").as_str(), status(&two, "a").as_str()), ("complete", "pending"));
    for args in [&["claim", "a", "--as", "w2"][..], &["exec"]] {
        let ran = run(&two, args, 4);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("`a` has a result of") && said.contains("could not be committed"), "{said}");
    }
    let help = run(&two, &["claim", "a", "--as", "w2"], 4).stderr;
    assert!(help.contains("if that clone is gone, run `canonry run release a --as '"), "{help}");
    std::fs::remove_file(hook).unwrap();
    run(&one, &["exec"], 0);
    waits_for(&two, &head(&one));
    push(&one);
    pull(&two);
    run(&two, &["exec"], 0);
    assert_eq!(status(&two, "a"), "complete");
    assert_eq!(one.git(&["log", "--no-merges", "--format=%h", "--", "out/a"]).lines().count(), 1);
}

#[test]
fn a_decision_is_waited_for_after_its_claim_was_forgotten() {
    let [one, two] = team(ONCE, "blocked 'no database'\n");
    run(&one, &["exec"], 3);
    push(&one);
    // Everybody can have it, so that this run forgets the decision, but not the number of the attempt.
    run(&one, &["exec"], 3);
    let claimed = run(&two, &["claim", "a", "--as", "w2"], 0).stdout;
    assert!(claimed.contains("(attempt 2)"), "{claimed}");
    run(&two, &["release", "a", "--as", "w2"], 0);
    let decided = head(&one);
    save(&one, "pending");
    run(&one, &["claim", "a", "--as", "w1"], 0);
    run(&one, &["release", "a", "--as", "w1"], 0);
    waits_for(&two, &decided);
}

#[test]
fn an_old_attempt_does_not_take_back_the_result_of_another_clone() {
    let [one, two] = team(WORKTREES, "hang\nwrite out/a; success\n");
    let mut command = one.canonry_command();
    command.args(["run", "exec"]).process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    wait_for(|| read_if(&one, ".git/canonry/attempts/build/a.1.log").contains("working"));
    kill_group(&one, &mut child);
    let older = read(&one, PLAN);
    assert!(older.contains("in_progress"), "{older}");
    run(&two, &["exec"], 0);
    push(&two);
    one.git(&["checkout", "-q", PLAN]);
    pull(&one);
    one.write(PLAN, older);
    run(&one, &["exec"], 0);
    push(&one);
    pull(&two);
    for clone in [&one, &two] {
        assert_eq!((status(clone, "a").as_str(), read(clone, "out/a").as_str()), ("complete", "a\n"));
        assert_eq!(clone.git(&["status", "--porcelain"]), "");
        assert!(clone.git(&["show", &format!("HEAD:{PLAN}")]).contains("complete"));
        assert_eq!(report(clone, "a", 2)["outcome"], "success");
    }
    assert_eq!(one.git(&["log", "--no-merges", "--format=%h", "--", "out/a"]).lines().count(), 1);
    let subjects = one.git(&["log", "--format=%s"]);
    assert!(!subjects.contains("is pending"), "{subjects}");
}

#[test]
fn work_that_was_merged_before_a_kill_is_complete_in_a_plan_that_says_blocked() {
    let make = || team(WORKTREES, "write out/a; success\n");
    let [whole, _] = make();
    let mut command = whole.canonry_command();
    command.args(["run", "exec"]);
    // The index follows the branch.
    let writes = failpoints_of(command, &whole.tmp().join("failpoints"));
    let indexes: Vec<_> = (1..).zip(&writes).filter(|(_, write)| write.write == "index").collect();
    let mut merged = 0;
    for (number, _) in indexes {
        let [one, _two] = make();
        interrupt(&one, &["run", "exec"], &format!("kill@{number}"));
        if one.git(&["ls-tree", "HEAD", "out/a"]).is_empty() || one.exists("agent/reports/build/a.1.json") {
            continue;
        }
        merged += 1;
        save(&one, "blocked");
        run(&one, &["exec"], 0);
        assert_eq!((status(&one, "a").as_str(), read(&one, "out/a").as_str()), ("complete", "a\n"));
        assert_eq!(one.git(&["status", "--porcelain"]), "");
    }
    assert_eq!(merged, 1);
}

#[test]
fn a_step_that_an_older_plan_opens_is_not_begun_by_hand() {
    let [one, _two] = team(WORKTREES, "write out/a; success\n");
    run(&one, &["exec"], 0);
    save(&one, "pending");
    for args in [&["claim", "a"][..], &["next", "--claim"], &["set", "a", "in_progress"]] {
        let ran = run(&one, args, 5);
        for words in ["`a` is open in the plan, but complete since attempt 1", "run `canonry run exec build`"] {
            assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
        }
    }
    save(&one, "in_progress");
    let ran = run(&one, &["set", "a", "pending"], 5);
    assert!(ran.stderr.contains("complete since attempt 1"), "{}", ran.stderr);
    run(&one, &["exec"], 0);
    assert_eq!((status(&one, "a").as_str(), one.git(&["status", "--porcelain"]).as_str()), ("complete", ""));
    // A reason opens it.
    run(&one, &["set", "a", "pending", "--reason", "again"], 0);
    run(&one, &["claim", "a"], 0);
}

#[test]
fn the_reports_of_work_by_hand_in_two_clones_have_different_numbers() {
    let [one, two] = team(ONCE, "");
    let by_hand = |clone: &Repo, result: &[&str]| {
        run(clone, &["claim", "a"], 0);
        run(clone, &["set", "a", "in_progress"], 0);
        clone.write("out/a", "x\n");
        run(clone, &[&["finish", "build", "a"][..], result].concat(), 0);
    };
    by_hand(&two, &["--failed", "it does not compile"]);
    two.git(&["clean", "-qf", "out"]);
    by_hand(&one, &["--details", "done"]);
    push(&one);
    pull(&two);
    assert_eq!(report(&two, "a", 1)["outcome"], "failure");
    assert_eq!((status(&two, "a"), &report(&two, "a", 2)["outcome"]), ("complete".to_owned(), &"success".into()));
}

#[test]
fn who_claims_the_step_of_a_killed_run_ends_its_worker() {
    let [one, _two] = team(WORKTREES, "hang\n");
    let mut child = one.canonry_command().args(["run", "exec"]).stderr(Stdio::null()).spawn().unwrap();
    wait_for(|| read_if(&one, ".git/canonry/attempts/build/a.1.log").contains("working"));
    wait_for(|| read_if(&one, ".git/canonry/attempts/build/a.1.attempt.json").contains("\"worker\": \""));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_working(&one));
    let state = run(&one, &["status", "build"], 0).stdout;
    assert!(state.contains("interrupted: the next `canonry run exec` continues it"), "{state}");
    run(&one, &["claim", "a", "--as", "w1"], 0);
    wait_for(|| !is_working(&one));
}

/// Whether a worker of the repository is running.
fn is_working(repo: &Repo) -> bool {
    let report = format!("CANONRY_REPORT={}", repo.root.parent().unwrap().display());
    let mut processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.any(|process| {
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry.starts_with(report.as_bytes()))
    })
}
