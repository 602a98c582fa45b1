//! People around a run: notifications, pull requests, owners that stand in for each other, and bounds.

use super::fan_out::{BEST, candidates, writing};
use crate::plan::people::in_terminal;
use crate::support::repo::Ran;
use crate::support::workflow::{WorkflowProject, says};
use serde_json::Value;
use std::process::Command;

const GATED: &str = "workflow: flow
workflow_version: 1.0.0
max_steps: 20
steps:
  draft: {owner: A, prompt: Draft it., COMMON, PASSES, next: [{goto: editor}]}
  print: {owner: A, prompt: Print it., COMMON, PASSES, next: [{goto: end}]}
gates:
  - gate_id: editor
    type: approval
    trigger_condition: draft.passed
    message: Is the draft good?
    options: [{value: publish, goto: print}, {value: stop}]
    timeout: 1h
    timeout_action: pause
";
const TWO: &str = "name: flow
steps:
  - {name: one, agent: A, prompt: p}
  - {name: two, agent: A, prompt: p, end: true}
";

/// The fake agent as the owner of every role, with more keys.
fn with_owners(definition: &str, script: &str, owners: &str) -> WorkflowProject {
    let project = WorkflowProject::inline(definition);
    let notes = project.repo.tmp().display().to_string();
    let agent = crate::support::workflow::AGENT;
    project.repo.write("agent/owners.yaml", owners.replace("NOTES", &notes).replace("AGENT", agent));
    project.script(script);
    project
}

fn note(project: &WorkflowProject, name: &str) -> String {
    std::fs::read_to_string(project.repo.tmp().join(name)).unwrap_or_default()
}

#[test]
fn a_gate_and_the_end_of_a_run_are_told() {
    let owners = "notify: cat >>NOTES/json; echo \"$CANONRY_EVENT $CANONRY_RUN $CANONRY_STEP $CANONRY_OUTCOME|$CANONRY_NEXT\" >>NOTES/told\ndefault: {argv: [AGENT]}\n";
    let project = with_owners(GATED, "* report-text {\"passed\": true}\n", owners).start();
    project.run(&["exec"], 3);
    assert_eq!(
        note(&project, "told"),
        "needs_person flow-1 editor |canonry run approve flow-1 --option publish|stop\nend flow-1  needs_person|canonry run exec flow-1\n"
    );
    let first: Value = serde_json::from_str(note(&project, "json").lines().next().unwrap()).unwrap();
    assert_eq!((&first["run"], &first["message"]), (&"flow-1".into(), &"Is the draft good?".into()), "{first}");
    project.run(&["approve", "--option", "publish"], 0);
    project.run(&["exec"], 0);
    assert!(note(&project, "told").ends_with("end flow-1  complete|\n"), "{}", note(&project, "told"));
    // A notification of the workflow does not wait.
    let silent = GATED.replace("type: approval", "type: notification");
    let project = with_owners(&silent, "* report-text {\"passed\": true}\n", owners).start();
    project.run(&["exec"], 0);
    assert_eq!(note(&project, "told"), "notification flow-1 editor |\nend flow-1  complete|\n");
    let broken = with_owners(TWO, "", "notify: exit 7\ndefault: {argv: [AGENT]}\n").start();
    let ran = broken.run(&["exec"], 0);
    assert_eq!(ran.stderr.matches("nobody was notified: `notify` exited 7").count(), 1, "{}", ran.stderr);
}

#[test]
fn the_chosen_work_becomes_a_pull_request() {
    let owners = "integrate: pull-request\ndefault: {argv: [AGENT], timeout: 1m}\n";
    let project = with_owners(&candidates(BEST), &writing(""), owners).committed().start();
    let repo = &project.repo;
    let bare = repo.tmp().join("github.test/bare.git");
    let path = |bin: &str| format!("{}:{}", repo.tmp().join(bin).display(), std::env::var("PATH").unwrap());
    let run = |args: &[&str], status: i32| {
        let mut command: Command = project.command(args);
        let ran = Ran::from(command.env("PATH", path("bin")).output().unwrap());
        assert_eq!(ran.status, status, "{}{}", ran.stdout, ran.stderr);
        ran
    };
    says(&project.run(&["exec"], 5), &["a pull request needs a remote"]);
    repo.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    repo.git(&["remote", "add", "origin", bare.to_str().unwrap()]);
    let gh = repo.tmp().join("bin/gh");
    std::fs::create_dir_all(gh.parent().unwrap()).unwrap();
    std::fs::write(&gh, "#!/bin/sh\necho https://github.test/o/r/pull/9\n").unwrap();
    assert!(repo.command("chmod").arg("755").arg(&gh).status().unwrap().success());
    let waiting = "try: waits for the pull request https://github.test/o/r/pull/9: merge it, run `git pull`";
    says(&run(&["exec"], 3), &[waiting, "canonry run exec flow-1"]);
    says(&run(&["exec"], 3), &[waiting]);
    says(&run(&["next"], 3), &[waiting]);
    assert_eq!(repo.git(&["ls-tree", "HEAD", "work.txt"]), "");
    let branch = "canonry/run-flow-1/try.2";
    assert!(repo.git(&["ls-remote", "origin", branch]).contains(branch));
    repo.git(&["merge", "-q", "--no-ff", "-m", "merged", branch]);
    run(&["exec"], 0);
    assert_eq!(repo.git(&["show", "HEAD:work.txt"]), "two");
}

#[test]
fn another_owner_goes_on_at_a_usage_limit() {
    let owners = "default:\n  - {argv: [AGENT]}\n  - {argv: [sh, -c, 'echo \"$CANONRY_STEP\" >>NOTES/second; echo done', worker], prompt: file}\n";
    let project = with_owners(TWO, "one limit 86400\ntwo limit 86400\n", owners).start();
    says(&project.run(&["exec", "--no-wait"], 0), &["one: usage limit, `sh` goes on"]);
    assert_eq!(
        (note(&project, "second"), project.steps()),
        ("one\ntwo\n".to_owned(), vec!["one done".to_owned(), "two done".to_owned()])
    );
    assert!(project.events("step_retried").is_empty());
}

#[test]
fn bounds_end_a_worker_and_a_run() {
    let owners = "default: {argv: [AGENT], idle_timeout: 2s}\n";
    let project = with_owners(TWO, "one hang\n", owners).start();
    let ran = project.run(&["exec"], 3);
    says(&ran, &["one: attempt 1 printed nothing for 1 s", "the worker printed nothing for 2 s"]);
    let owners = "budget: {tokens: 10}\ndefault: {argv: [AGENT]}\n";
    let project = with_owners(TWO, "one protocol claude-2.1.330/success.json\n", owners).start();
    let ran = project.run(&["exec"], 2);
    says(&ran, &["the limit of 10 tokens (", " reported) is reached"]);
    assert_eq!(project.steps(), ["one done"]);
}

#[test]
fn a_terminal_shows_each_worker() {
    let owners = "default: {argv: [sh, -c, 'echo reading a.rs; sleep 2; echo done', worker], prompt: file}\n";
    let project = with_owners(TWO, "", owners).start();
    let shown = in_terminal(&project.repo, "run exec");
    assert!(shown.contains("one A #1 0:01  reading a.rs"), "{shown}");
}
