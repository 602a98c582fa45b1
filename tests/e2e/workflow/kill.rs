//! A run that is killed before one of its writes and then continued ends as one that was not.

use super::dynamic::is_alive;
use crate::support::failpoints::{failpoints_of, for_each_failpoint, kill_command, sample};
use crate::support::workflow::{WorkflowProject, says};
use serde_json::Value;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Workers, a rejection, candidates, a gate, and an external effect.
const FLOW: &str = "workflow: flow
workflow_version: 1.0.0
max_steps: 12
steps:
  build: {owner: A, prompt: Build it., COMMON, output: {file: build.json, schema: {passed: bool, size: number}}, next: [{goto: review}]}
  review: {owner: A, prompt: \"Review size-{{build.size}}.\", COMMON, output: {schema: {passed: bool, error: string, verdict: string}}, retry_strategy: serial, feedback_mode: include_prev_error, max_retries: 1, on_max_retries_exceeded: abort, next: [{if: verdict == REJECTED, goto: build}, {goto: sign_off}]}
  announce:
    owner: A
    prompt: Announce it.
    context_mode: explicit
    context_inputs: []
    output: {schema: {passed: bool}}
    timeout: 1m
    effects: external
    idempotency: {marker: \"run {{run_id}}\"}
    on_failure: abort
    next: [{goto: end}]
gates:
  - {gate_id: sign_off, type: approval, trigger_condition: review.passed, message: Announce it?, options: [{value: yes, goto: announce}, {value: stop}], timeout: 1h, timeout_action: pause}
";

/// The first build is rejected, however often its tasks are started: the second one knows the reason.
const SCRIPT: &str = "build unless small report-text {\"passed\": true, \"size\": 3}
build when small report-text {\"passed\": true, \"size\": 8}
review print It is too small.
review unless size-8 report-text {\"passed\": true, \"error\": \"\", \"verdict\": \"REJECTED\"}
review when size-8 report-text {\"passed\": true, \"error\": \"\", \"verdict\": \"good\"}
announce effect effects run flow-1
announce report-text {\"passed\": true}
";

const COMMANDS: [&[&str]; 3] = [&["exec"], &["approve", "--option", "yes"], &["exec"]];

fn new() -> WorkflowProject {
    WorkflowProject::new(FLOW, SCRIPT).start()
}

/// Executes a command, up to a write if one is given, and returns its status.
fn execute(project: &WorkflowProject, args: &[&str], write: Option<usize>) -> Option<i32> {
    let mut command = project.command(args);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(number) = write {
        command.env("CANONRY_FAILPOINT", format!("kill@{number}"));
    }
    command.status().unwrap().code()
}

/// Final result: where each step led, who decided, and the effects.
fn result(project: &WorkflowProject) -> (Vec<String>, Vec<Value>, Value, String) {
    let ended = project.events("step_ended").into_iter().map(|mut event| {
        // Numbers of tasks differ if one was started again.
        for key in ["seq", "at", "task"] {
            event.as_object_mut().unwrap().remove(key);
        }
        event.to_string()
    });
    let answers = project.events("person_answered").into_iter().map(|event| event["option"].clone()).collect();
    let effects = std::fs::read_to_string(project.repo.path("effects")).unwrap_or_default();
    (ended.collect(), answers, project.state()["end"].clone(), effects)
}

/// The writes of each command of an uninterrupted run.
fn writes(project: &WorkflowProject) -> Vec<usize> {
    let count = |(at, args): (usize, &&[&str])| {
        let log = project.repo.tmp().join(format!("writes-{at}"));
        let mut command = project.command(args);
        let status = command.env("CANONRY_FAILPOINT_LOG", &log).stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert_eq!(status.unwrap().code(), Some([3, 0, 0][at]));
        std::fs::read_to_string(log).unwrap().lines().count()
    };
    COMMANDS.iter().enumerate().map(count).collect()
}

/// Kills one command at a write, then continues until the run ends.
fn killed(stage: usize, write: usize) -> WorkflowProject {
    let project = new();
    COMMANDS[..stage].iter().for_each(|args| {
        execute(&project, args, None);
    });
    assert_eq!(execute(&project, COMMANDS[stage], Some(write)), None, "stage {stage}, write {write}");
    let before = std::fs::read(project.repo.path("agent/runs/flow-1/events.jsonl")).unwrap();
    for _ in 0..4 {
        match execute(&project, &["exec"], None) {
            Some(0) => break,
            Some(3) => assert_eq!(execute(&project, &["approve", "--option", "yes"], None), Some(0)),
            status => panic!("stage {stage}, write {write}: {status:?}: {}", project.file("log.txt")),
        }
    }
    let after = std::fs::read(project.repo.path("agent/runs/flow-1/events.jsonl")).unwrap();
    assert!(after.starts_with(&before), "stage {stage}, write {write}: the journal was changed");
    let torn = after.split_inclusive(|b| *b == b'\n').filter(|line| serde_json::from_slice::<Value>(line).is_err());
    let torn = torn.count();
    let notes = project.events("note").into_iter().filter(|note| note["text"].as_str().unwrap().contains("torn"));
    assert!(torn <= 1 && notes.count() == torn, "stage {stage}, write {write}: {torn} torn lines");
    project
}

#[test]
fn a_run_killed_at_a_write_ends_like_another() {
    let whole = new();
    let writes = writes(&whole);
    let wanted = result(&whole);
    assert_eq!(
        whole.steps(),
        ["build done", "review rejected", "build done", "review done", "announce done"],
        "{}",
        whole.file("log.txt")
    );
    assert_eq!(wanted.3, "run flow-1\n");
    assert!(writes.iter().all(|count| *count >= 5), "{writes:?}");
    let every = std::env::var_os("CANONRY_EVERY_WRITE").is_some();
    // The journal is complete before the last writes, of the summary and the log.
    let is_last = |(stage, write): (usize, usize)| stage + 1 == writes.len() && write + 4 > writes[stage];
    let all = writes.iter().enumerate().flat_map(|(stage, count)| (1..=*count).map(move |write| (stage, write)));
    let points: Vec<(usize, usize)> = all
        .enumerate()
        .filter(|(at, point)| every || at % 61 == 17 || is_last(*point))
        .map(|(_, point)| point)
        .collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((stage, write)) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let project = killed(*stage, *write);
                    assert_eq!(result(&project), wanted, "stage {stage}, write {write}:\n{}", project.file("log.txt"));
                }
            });
        }
    });
}

/// A step with an effect that a second execution would repeat.
const SENDING: &str = "workflow: flow
workflow_version: 1.0.0
max_steps: 3
steps:
  send:
    owner: A
    prompt: Send it.
    context_mode: explicit
    context_inputs: []
    output: {schema: {passed: bool}}
    timeout: 1m
    effects: external
    idempotency: {marker: \"run {{run_id}}\", EVIDENCE}
    on_failure: abort
    next: [{goto: end}]
";

/// Runs until a file exists, and kills the run; its worker stays.
fn kill_after(project: &WorkflowProject, file: &str) {
    let mut command = project.command(&["exec"]);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let file = project.repo.path(file);
    for _ in 0..600 {
        if file.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(file.exists(), "{}", project.file("log.txt"));
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn an_effect_that_idempotency_proves_is_not_repeated_after_a_kill() {
    let hangs = "send pid started\nsend write sent.txt mail\nsend hang\n";
    for evidence in [
        "output_file: sent.txt",
        "check: grep -q mail sent.txt",
        "output_file: sent.txt, check: \"test \\\"$CANONRY_RUN\\\" = {{run_id}}\"",
    ] {
        let project = WorkflowProject::new(&SENDING.replace("EVIDENCE", evidence), hangs).start();
        kill_after(&project, "sent.txt");
        project.run(&["exec"], 0);
        let sent = std::fs::read_to_string(project.repo.path("sent.txt")).unwrap();
        assert_eq!(sent, "mail\n", "{evidence}: {}", project.file("log.txt"));
        assert_eq!(project.events("worker_started").len(), 1, "{evidence}");
        assert_eq!(project.steps(), ["send done"]);
    }
    // Without the evidence, or against it, the step is executed again.
    let again = "send pid started\nsend once hang\nsend write sent.txt mail\nsend report-text {\"passed\": true}\n";
    for (evidence, workers) in [
        ("output_file: sent.txt", 2),
        ("check: grep -q mail sent.txt", 2),
        ("output_file: started, check: grep -q mail sent.txt", 2),
        // The guard does not let it through.
        ("check: git push --force origin main", 2),
    ] {
        let project = WorkflowProject::new(&SENDING.replace("EVIDENCE", evidence), again).start();
        kill_after(&project, "started");
        project.wait_for_hang("send");
        project.run(&["exec"], 0);
        assert_eq!(project.events("worker_started").len(), workers, "{evidence}: {}", project.file("log.txt"));
        let sent = std::fs::read_to_string(project.repo.path("sent.txt")).unwrap();
        assert_eq!(sent, "mail\n", "{evidence}");
    }
}

/// A step whose contract a report meets.
const REPORTING: &str = "workflow: flow
workflow_version: 1.0.0
max_steps: 3
steps:
  build: {owner: A, prompt: Build it., COMMON, PASSES, next: [{goto: end}]}
";

/// A step that ends with what its worker prints.
const ANSWERING: &str = "name: flow\nsteps:\n  - {name: build, agent: A, prompt: Build., end: true}\n";

const SHARED_TREE: &str = "default: {argv: [AGENT], timeout: 1m}\n";
const OWN_TREE: &str = "default: {argv: [AGENT], timeout: 1m, isolation: worktree}\n";

/// Kills a run at each write after its worker has ended, and counts how often the worker worked.
fn assert_works_once(flow: &str, last: &str, owners: &str) {
    let begun = || {
        let project = WorkflowProject::with_owners(flow, "", owners);
        let tmp = project.repo.tmp();
        let actions = ["sleep 0.1", "write TMP/count", "write built.txt", last, "write TMP/ended"];
        let script: String = actions.iter().map(|action| format!("build {action}\n")).collect();
        project.script(&script.replace("TMP", tmp.to_str().unwrap()));
        project.committed().start()
    };
    let lines = |project: &WorkflowProject, name: &str| {
        std::fs::read_to_string(project.repo.tmp().join(name)).unwrap_or_default().lines().count()
    };
    let whole = begun();
    let failpoints = failpoints_of(whole.command(&["exec"]), &whole.repo.tmp().join("failpoints"));
    let tried = AtomicUsize::new(0);
    for_each_failpoint(&sample(failpoints), |failpoint| {
        let project = begun();
        kill_command(project.command(&["exec"]), failpoint);
        // An answer that is only printed is lost with the process that reads it.
        let is_kept = flow == REPORTING || project.repo.exists("agent/runs/flow-1/tasks/1.result.json");
        let has_ended = lines(&project, "ended") == 1 && is_kept;
        project.run(&["exec"], 0);
        assert_eq!(project.steps(), ["build done"], "{failpoint:?}");
        assert_eq!(project.repo.git(&["status", "--porcelain"]), "", "{failpoint:?}");
        if !has_ended {
            return;
        }
        tried.fetch_add(1, Ordering::Relaxed);
        assert_eq!(lines(&project, "count"), 1, "{failpoint:?}: {}", project.file("log.txt"));
        let commits = project.repo.git(&["log", "--no-merges", "--format=%s", "--", "built.txt"]);
        assert_eq!(commits, "build: task 1 of run flow-1", "{failpoint:?}");
        let report = project.file("reports/build.md");
        assert_eq!(report.matches("## ").count(), 1, "{failpoint:?}: {report}");
    });
    assert!(tried.into_inner() > 10);
}

#[test]
fn a_worker_that_has_reported_before_a_kill_does_not_work_again() {
    for owners in [SHARED_TREE, OWN_TREE] {
        assert_works_once(REPORTING, "report-text {\"passed\": true}", owners);
    }
}

#[test]
fn a_worker_whose_answer_is_saved_before_a_kill_does_not_work_again() {
    for owners in [SHARED_TREE, OWN_TREE] {
        assert_works_once(ANSWERING, "print done", owners);
    }
}

#[test]
fn a_restart_after_a_kill_ends_the_worker_and_releases_its_work_tree() {
    for owners in [SHARED_TREE, OWN_TREE] {
        let script = "build write built.txt\nbuild once hang\nbuild print done\n";
        let project = WorkflowProject::with_owners(ANSWERING, script, owners).committed().start();
        let mut run = project.command(&["exec"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        project.wait_for_hang("build");
        run.kill().unwrap();
        run.wait().unwrap();
        let worker =
            project.events("worker_started")[0]["worker"].as_str().unwrap().split(':').next().unwrap().to_owned();
        assert!(is_alive(&worker), "{owners}");
        let ran = project.run(&["exec", "--restart"], 0);
        assert!(!is_alive(&worker), "{owners}");
        if owners == OWN_TREE {
            says(&ran, &["the work of task 1 on `build` is kept: branch canonry/run-flow-1/build.1"]);
        }
        assert_eq!(project.steps(), ["build done"]);
    }
}

/// A full disk at each write is an error with which the run can be continued, and no worker works again.
#[test]
fn a_run_continues_after_a_full_disk() {
    let script =
        "build sleep 0.1\nbuild write TMP/count\nbuild write built.txt\nbuild report-text {\"passed\": true}\n";
    let begun = || {
        let project = WorkflowProject::new(REPORTING, "");
        project.script(&script.replace("TMP", project.repo.tmp().to_str().unwrap()));
        project.committed().start()
    };
    let whole = begun();
    let failpoints = failpoints_of(whole.command(&["exec"]), &whole.repo.tmp().join("failpoints"));
    for_each_failpoint(&sample(failpoints), |failpoint| {
        let project = begun();
        let mut command = project.command(&["exec"]);
        command.env("CANONRY_FAILPOINT", failpoint.error("ENOSPC"));
        let ran = command.output().unwrap();
        let error = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(matches!(ran.status.code(), Some(0 | 70)), "{failpoint:?}: {:?}: {error}", ran.status);
        project.run(&["exec"], 0);
        let steps = project.steps();
        assert_eq!(steps, ["build done"], "{failpoint:?}: {error}");
        assert_eq!(project.repo.git(&["status", "--porcelain"]), "", "{failpoint:?}: {error}");
        let count = std::fs::read_to_string(project.repo.tmp().join("count")).unwrap();
        assert_eq!(count.lines().count(), 1, "{failpoint:?}: {error}: {}", project.file("log.txt"));
    });
}
