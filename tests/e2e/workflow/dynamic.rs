//! Rivals, killed runs, false claims, and sessions that take over.

use crate::support::workflow::{WorkflowProject, says};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const INLINE: &str = "name: flow\nsteps:\n  - {name: a, prompt: p}\n  - {name: b, prompt: p, end: true}\n";
const RIVALS: usize = 16;

#[test]
fn one_of_many_rivals_gets_the_step() {
    let project = WorkflowProject::inline(INLINE).start();
    let spawn = |_| project.command(&["next"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let rivals: Vec<_> = (0..RIVALS).map(spawn).collect();
    let mut statuses: Vec<i32> = rivals.into_iter().map(|mut rival| rival.wait().unwrap().code().unwrap()).collect();
    statuses.sort_unstable();
    let mut wanted = vec![4; RIVALS];
    wanted[0] = 0;
    assert_eq!(statuses, wanted);
    assert_eq!(project.events("task_started").len(), 1);
    project.run(&["finish", "--task", "1", "--details", "done"], 0);
}

#[test]
fn a_late_answer_after_a_take_over_is_refused() {
    let project = WorkflowProject::inline(INLINE).start();
    project.run(&["next"], 0);
    says(&project.run(&["next"], 4), &["task 1", "--take-over"]);
    says(&project.run(&["exec"], 4), &["task 1", "--take-over"]);
    says(&project.run(&["next", "--take-over"], 0), &["task 2"]);
    let before = project.file("events.jsonl");
    says(&project.run(&["finish", "--task", "1", "--details", "the late answer"], 4), &["no longer counts"]);
    assert_eq!(project.file("events.jsonl"), before);
    project.run(&["finish", "--task", "2", "--details", "done"], 0);
    project.run(&["finish", "--task", "2", "--details", "done"], 4);
    assert_eq!(project.steps(), ["a done"]);
    assert!(!project.file("reports/a.md").contains("the late answer"));
    // A runner takes the step of a session, too, and says so.
    project.run(&["next"], 0);
    project.run(&["finish", "--task", "3", "--details", "done"], 0);
}

fn wait_for(path: &Path) -> String {
    let begin = Instant::now();
    loop {
        match std::fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
            _ => assert!(begin.elapsed() < Duration::from_secs(20), "{} is missing", path.display()),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // An ended process that nobody waits for stays as a zombie.
    !stat.is_empty() && !stat.contains(") Z ")
}

#[test]
fn a_run_killed_in_the_middle_of_a_step_runs_it_once_more() {
    let flow = "name: flow
steps:
  - {name: one, agent: A, prompt: p}
  - {name: two, agent: A, prompt: p}
  - {name: three, agent: A, prompt: p, end: true}
";
    let project = WorkflowProject::new(flow, "two pid worker\ntwo once hang\ntwo print done again\n").start();
    let mut run = project.command(&["exec"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let worker = wait_for(&project.repo.path("worker"));
    // The identity of the worker is recorded right after its start.
    let begin = Instant::now();
    while project.events("worker_started").len() < 2 && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    project.wait_for_hang("two");
    // Only one process runs a workflow.
    says(&project.run(&["exec"], 4), &["another process runs `flow-1`"]);
    project.run(&["next"], 4);
    assert!(!project.run(&["status", "flow-1"], 0).stdout.contains("interrupted"));
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(is_alive(&worker));
    says(&project.run(&["status", "flow-1"], 0), &["interrupted: the next"]);
    says(&project.run(&["finish", "--details", "done"], 5), &["that of a worker", "canonry run exec flow-1"]);
    let before = project.file("events.jsonl");
    assert_eq!(project.steps(), ["one done"]);
    project.run(&["exec"], 0);
    assert!(!is_alive(&worker), "the worker of the killed run goes on");
    assert_eq!(project.steps(), ["one done", "two done", "three done"]);
    assert!(project.file("events.jsonl").starts_with(&before));
    let started = project.events("task_started");
    assert_eq!(started.iter().filter(|event| event["step"] == "two").count(), 2);
    assert_eq!(project.events("step_started").len(), 3);
}

#[test]
fn an_interrupted_run_ends_its_worker_and_is_continued() {
    let flow = "name: flow\nsteps:\n  - {name: one, agent: A, prompt: p, end: true}\n";
    let project = WorkflowProject::new(flow, "one pid worker\none once hang\none print done\n").start();
    let mut run = project.command(&["exec"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let worker = wait_for(&project.repo.path("worker"));
    project.wait_for_hang("one");
    assert!(Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap().success());
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert!(!is_alive(&worker));
    project.run(&["exec"], 0);
    assert_eq!(project.steps(), ["one done"]);
}

#[test]
fn a_claim_of_success_counts_for_nothing() {
    let contract = "workflow: flow
workflow_version: 1.0.0
max_steps: 5
steps:
  one: {owner: A, prompt: p, COMMON, output: {schema: {passed: bool, error: string}}, next: [{goto: end}]}
";
    for (answer, reason) in [
        ("one print All is done, and it works.", "no JSON output"),
        ("one report-text {\"passed\": \"yes\", \"error\": \"\"}", "`passed` must be true or false"),
        ("one report-text {\"passed\": true}", "`error` is missing"),
        ("one report-text {\"passed\": false, \"error\": \"a test fails\"}", "a test fails"),
        ("one report-text {\"passed\": true, \"error\": \"\"}\none exit 4", "it exited 4"),
    ] {
        let project = WorkflowProject::new(contract, &format!("{answer}\n")).start();
        says(&project.run(&["exec"], 1), &["aborted"]);
        assert_eq!(project.steps(), ["one failed"]);
        let ended = &project.events("step_ended")[0];
        assert!(ended["reason"].as_str().unwrap().contains(reason), "{answer}: {ended}");
    }
    let plan = "name: flow\nsteps:\n  - {name: work, plan: build, end: true}\n";
    let owners = "default: {argv: [AGENT], timeout: 1m, retries: 0}\n";
    let project = WorkflowProject::with_owners(plan, "lie report success\n", owners);
    project.repo.write(
        "agent/plans/build/plan.yaml",
        "steps:\n  - {id: lie, owner: A, criteria: c, commands: [\"Run: false\"]}\n",
    );
    project.repo.git(&["add", "-A"]);
    project.repo.git(&["commit", "-qm", "state"]);
    let project = project.start();
    project.run(&["exec", "flow"], 3);
    assert_eq!(project.steps(), ["work failed"]);
}
