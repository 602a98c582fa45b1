//! Work in the shared work tree: canonry commits what a step changed, and nothing else.

use crate::support::failpoints::{failpoints_of, for_each_failpoint, kill_command, sample};
use crate::support::workflow::{PASSED, WorkflowProject, says};

const FLOW: &str = "name: flow
steps:
  - {name: build, agent: A, prompt: Build.}
  - {name: close, agent: A, prompt: Close., end: true}
";

fn files_of(project: &WorkflowProject, revision: &str) -> String {
    project.repo.git(&["show", "--format=%s", "--name-only", revision])
}

#[test]
fn each_step_is_one_commit_and_what_a_person_changed_before_stays() {
    let project = WorkflowProject::new(
        FLOW,
        "build write built.txt\nbuild print done\nclose write closed.txt\nclose print done\n",
    )
    .committed();
    project.repo.write("mine.txt", "a person's\n");
    let before = project.repo.git(&["rev-parse", "HEAD"]);
    let project = project.start();
    project.run(&["exec"], 0);
    assert_eq!(project.steps(), ["build done", "close done"]);
    assert_eq!(files_of(&project, "HEAD").trim(), "close: task 2 of run flow-1\n\nclosed.txt");
    assert_eq!(files_of(&project, "HEAD~1").trim(), "build: task 1 of run flow-1\n\nbuilt.txt");
    assert_eq!(project.repo.git(&["rev-parse", "HEAD~2"]), before);
    assert_eq!(project.repo.git(&["status", "--porcelain"]).trim(), "?? mine.txt");
    let log = project.file("log.txt");
    assert!(log.contains("committed built.txt as "), "{log}");
}

#[test]
fn work_is_committed_once_whatever_write_a_run_is_killed_at() {
    let begun = || {
        // A worker that is started again finds its work.
        let script = "build once write built.txt\nbuild print done\nclose once write closed.txt\nclose print done\n";
        WorkflowProject::new(FLOW, script).committed().start()
    };
    let whole = begun();
    let failpoints = failpoints_of(whole.command(&["exec"]), &whole.repo.tmp().join("failpoints"));
    for_each_failpoint(&sample(failpoints), |failpoint| {
        let project = begun();
        kill_command(project.command(&["exec"]), failpoint);
        project.run(&["exec"], 0);
        assert_eq!(project.repo.git(&["status", "--porcelain"]), "", "{failpoint:?}");
        for file in ["built.txt", "closed.txt"] {
            let commits = project.repo.git(&["log", "--format=%h", "--", file]);
            // The worker is killed, too, and may not have written it.
            assert_eq!(commits.lines().count(), usize::from(project.repo.exists(file)), "{failpoint:?}: {file}");
        }
    });
}

#[test]
fn a_step_that_commits_itself_or_changes_nothing_adds_no_commit() {
    let project =
        WorkflowProject::new(FLOW, "build write built.txt\nbuild commit\nbuild print done\nclose print done\n")
            .committed();
    let project = project.start();
    project.run(&["exec"], 0);
    assert_eq!(project.repo.git(&["rev-list", "--count", "HEAD"]).trim(), "2", "{}", project.file("log.txt"));
    assert_eq!(project.repo.git(&["status", "--porcelain"]).trim(), "");
}

#[test]
fn a_hook_that_refuses_the_commit_is_told_to_the_next_attempt() {
    let flow = "workflow: flow
workflow_version: 1.0.0
steps:
  build: {owner: A, prompt: Build., COMMON, PASSES, retry_strategy: serial, max_retries: 1, feedback_mode: include_prev_error, on_max_retries_exceeded: abort, next: [{goto: end}]}
";
    let script = format!("build write built.txt\nbuild report-text {PASSED}\n");
    let project = WorkflowProject::new(flow, &script).committed();
    project.repo.write(".git/hooks/pre-commit", "#!/bin/sh\necho 'lint: no tabs' >&2\nexit 1\n");
    project.repo.chmod(".git/hooks/pre-commit", 0o755);
    let project = project.start();
    project.run(&["exec"], 1);
    assert!(project.prompt(2).contains("lint: no tabs"), "{}", project.prompt(2));
    assert_eq!(project.repo.git(&["rev-list", "--count", "HEAD"]).trim(), "1");
}

#[test]
fn a_merge_in_progress_keeps_the_answer_of_a_worker() {
    let project = WorkflowProject::new(FLOW, "").committed();
    let head = project.repo.git(&["rev-parse", "HEAD"]);
    let merge = format!("build write .git/MERGE_HEAD {head}\n");
    project.script(&format!("build write built.txt\n{merge}build print done\nclose print done\n"));
    let project = project.start();
    for _ in 0..2 {
        says(&project.run(&["exec"], 5), &["a merge is in progress"]);
    }
    says(&project.run(&["status"], 0), &["ready to continue at build", "next: `canonry run exec flow-1`"]);
    project.repo.remove(".git/MERGE_HEAD");
    project.run(&["exec"], 0);
    assert_eq!(project.repo.text("built.txt"), "build 1\n");
    assert_eq!(files_of(&project, "HEAD").trim(), "build: task 1 of run flow-1\n\nbuilt.txt");
    // A session gives its answer once, too.
    let project = WorkflowProject::inline(FLOW).committed().start();
    project.run(&["next"], 0);
    project.repo.write("built.txt", "built\n");
    project.repo.write(".git/MERGE_HEAD", format!("{}\n", project.repo.git(&["rev-parse", "HEAD"])));
    let ran = project.run(&["finish", "--details", "Built it."], 5);
    says(&ran, &["a merge is in progress", "then run `canonry run exec flow-1`: the answer of task 1 is kept"]);
    project.repo.remove(".git/MERGE_HEAD");
    says(&project.run(&["next"], 0), &["task 2, close"]);
    assert_eq!(files_of(&project, "HEAD").trim(), "build: task 1 of run flow-1\n\nbuilt.txt");
}

#[test]
fn children_are_one_commit_and_a_session_too() {
    let flow = "name: flow
steps:
  - {name: both, parallel: [{agent: A, prompt: part-one}, {agent: B, prompt: part-two}], check: all}
  - {name: close, agent: A, prompt: Close., end: true}
";
    let script = "both when part-one write one\nboth when part-two write two\nboth print done\n";
    let project = WorkflowProject::new(flow, script).committed().start();
    project.run(&["exec", "--once"], 2);
    let commit = files_of(&project, "HEAD");
    assert!(commit.starts_with("both: task ") && commit.trim().ends_with("\n\none\ntwo"), "{commit}");
    project.run(&["next"], 0);
    project.repo.write("closed.txt", "closed\n");
    says(&project.run(&["finish", "--details", "Closed it."], 0), &["WORKFLOW_COMPLETE"]);
    assert_eq!(files_of(&project, "HEAD").trim(), "close: task 3 of run flow-1\n\nclosed.txt");
}

#[test]
fn a_plan_that_a_step_writes_is_left_to_a_person() {
    let project =
        WorkflowProject::new(FLOW, "build write agent/plans/p/plan.yaml\nbuild print done\nclose print done\n")
            .committed();
    let project = project.start();
    project.run(&["exec"], 0);
    assert_eq!(project.repo.git(&["status", "--porcelain"]).trim(), "?? agent/plans/");
}
