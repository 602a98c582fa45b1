//! Sessions of workers: their hooks log outside of the step's change, and nobody asks them to go on when they have reported.

use super::run::{WORKTREES, commit, project, report, status};
use super::{read, run};
use crate::support::repo::Repo;
use crate::support::repo::binary;
use crate::support::workflow::WorkflowProject;

const LOG: &str = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";
const PENDING: &str = ".git/canonry/pending.jsonl";
const PLAN: &str = "steps:
  - {id: a, owner: A, parallel: true, criteria: c, commands: [\"Run: test -s out/a\"], files: [out/a]}
  - {id: b, owner: A, parallel: true, criteria: c, commands: [\"Run: test -s out/b\"], files: [out/b]}
";

/// A client that runs the hooks of a session with a failed and a denied call, then asks whether it may stop. `environment`
/// starts the hooks. What they say at the end is appended to the file in `$2`.
fn client(environment: &str) -> String {
    let hook = format!("{environment} {} hook", binary().display());
    format!(
        r#"#!/bin/sh
event() {{ printf '{{"session_id": "%s", "cwd": "%s", %s}}' "$1" "$PWD" "$2"; }}
event "$1" '"tool_name": "Bash", "tool_input": {{"command": "false"}}, "error": "it failed"' | {hook} failure --tool claude
event "$1" '"tool_name": "Bash", "tool_input": {{"command": "rm -rf ~"}}' | {hook} pre-tool --tool claude >/dev/null
event "$1" '"tool_name": "Bash", "tool_input": {{"command": "rm -rf ~"}}' | {hook} pre-tool --tool claude >/dev/null
event "$1" '"stop_hook_active": false' | {hook} stop --tool claude >>"$2"
"#
    )
}

/// Environments in which a client starts hooks: its own, or a clean one.
fn environments(repo: &Repo) -> [String; 2] {
    let config = repo.path("../home/.config");
    let clean = format!("env -i PATH=\"$PATH\" HOME=\"$HOME\" XDG_CONFIG_HOME='{}'", config.display());
    [String::new(), clean]
}

fn rows(repo: &Repo) -> Vec<serde_json::Value> {
    read(repo, PENDING).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_workers_log_is_no_part_of_their_steps() {
    for at in [0, 1] {
        let repo = project(PLAN, WORKTREES);
        let environment = &environments(&repo)[at];
        repo.write(LOG, "{\"timestamp\": \"2026-01-01T00:00:00Z\", \"action\": \"before\", \"result\": \"success\"}\n");
        repo.write("tools/client.sh", client(environment));
        commit(&repo);
        let tools = repo.path("tools");
        let own =
            r#"{"timestamp": "2026-01-02T00:00:00Z", "action": "by hand in '$CANONRY_STEP'", "result": "failure"}"#;
        for step in ["a", "b"] {
            // One worker commits everything itself.
            let save =
                if step == "a" { "git add -A; git -c user.name=W -c user.email=w@e.x commit -qm work;" } else { "" };
            let lines = format!(
                "write out/{step}; sh {}/client.sh s-{step} {}/stopped; {} log --action 'logged in {step}'; echo '{own}' >>{LOG}; {save} success\n",
                tools.display(),
                repo.tmp().display(),
                binary().display(),
            );
            repo.write(&format!("behaviour/{step}"), &lines);
        }
        let ran = run(&repo, &["exec"], 0);
        assert!(ran.stdout.contains("2 of 2 steps complete, 2 attempts in this run"), "{}{}", ran.stdout, ran.stderr);
        assert!(!ran.stderr.contains("kept"), "{}", ran.stderr);
        // Nothing was lost, and nothing is there twice.
        let rows = rows(&repo);
        let count = |key: &str, text: &str| rows.iter().filter(|row| row[key].as_str() == Some(text)).count();
        for step in ["a", "b"] {
            let session = format!("session s-{step}, claude");
            let of_session: Vec<&str> = rows
                .iter()
                .filter(|row| row["context"].as_str() == Some(session.as_str()))
                .map(|row| row["result"].as_str().unwrap())
                .collect();
            assert_eq!(of_session, ["failure", "denied"], "{rows:?}");
            assert_eq!(count("action", &format!("logged in {step}")), 1, "{rows:?}");
            assert_eq!(count("action", &format!("by hand in {step}")), 1, "{rows:?}");
            assert_eq!(report(&repo, step, 1)["outcome"], "success");
        }
        assert_eq!(rows.len(), 2 * 5, "{rows:?}");
        // The run changes the log neither in a commit nor in the work tree.
        assert_eq!(repo.git(&["show", &format!("HEAD:{LOG}")]).lines().count(), 1);
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
        assert_eq!(repo.git(&["for-each-ref", "refs/heads/canonry"]), "");
        assert_eq!(std::fs::read_to_string(repo.tmp().join("stopped")).unwrap(), "");
    }
}

#[test]
fn a_failed_attempt_and_a_log_that_git_ignores_lose_nothing() {
    let repo = project(PLAN, "default: {argv: [sh, AGENT], isolation: worktree, retries: 0}\n");
    repo.write(".gitignore", "behaviour/\nagent/memory/\n");
    commit(&repo);
    let row = r#"{"timestamp": "2026-01-02T00:00:00Z", "action": "by hand", "result": "failure"}"#;
    let hand = format!("mkdir -p agent/memory/episodic; echo '{row}' >>{LOG};");
    repo.write("behaviour/a", format!("{hand} write out/a; success\n"));
    repo.write("behaviour/b", format!("{} failure 'it does not work'\n", hand.replace("by hand", "by hand too")));
    run(&repo, &["exec"], 3);
    assert_eq!((status(&repo, "a"), status(&repo, "b")), ("complete".to_owned(), "blocked".to_owned()));
    let log = read(&repo, PENDING);
    for action in ["\"by hand\"", "\"by hand too\""] {
        assert_eq!(log.matches(action).count(), 1, "{log}");
    }
}

#[test]
fn no_worker_in_the_checkout_is_reminded() {
    let plan = "steps:\n  - {id: a, owner: A, criteria: c}\n";
    for at in [0, 1] {
        let repo = project(plan, "default: {argv: [sh, AGENT]}\n");
        repo.write("tools/client.sh", client(&environments(&repo)[at]));
        commit(&repo);
        let client = repo.path("tools/client.sh");
        let stopped = repo.tmp().join("stopped");
        let session = format!("sh {} s {}", client.display(), stopped.display());
        repo.write("behaviour/a", format!("{session}; success\n"));
        run(&repo, &["exec"], 0);
        assert_eq!(std::fs::read_to_string(&stopped).unwrap(), "");
        assert_eq!(rows(&repo).iter().filter(|row| row["source"] == "hook").count(), 2);
        // The same session of a person is reminded.
        let status = repo.command("sh").args([client.as_os_str(), "t".as_ref(), stopped.as_os_str()]).status().unwrap();
        assert!(status.success());
        assert!(std::fs::read_to_string(&stopped).unwrap().contains("canonry log"), "{at}");
    }
}

#[test]
fn no_worker_of_a_workflow_is_reminded() {
    let flow = "name: flow\nsteps:\n  - {name: one, agent: A, prompt: p, end: true}\n";
    let owners = "default: {argv: [sh, WORKER], timeout: 1m}\n";
    let project = WorkflowProject::with_owners(flow, "", owners);
    let repo = &project.repo;
    repo.write("tools/client.sh", client(&environments(repo)[1]));
    let client = repo.path("tools/client.sh");
    let stopped = repo.tmp().join("stopped");
    let worker = format!("cat >/dev/null\nsh {} s {}\necho APPROVED\n", client.display(), stopped.display());
    repo.write("tools/worker.sh", &worker);
    let owners = read(repo, "agent/owners.yaml").replace("WORKER", &repo.path("tools/worker.sh").display().to_string());
    repo.write("agent/owners.yaml", &owners);
    let project = project.start();
    project.run(&["exec"], 0);
    assert_eq!(std::fs::read_to_string(&stopped).unwrap(), "");
    assert_eq!(project.steps(), ["one done"]);
}
