//! Clients as workers of plans and workflows.

use crate::client::{Client, for_clients};
use crate::sandbox::Sandbox;
use crate::server::Turn;
use serde_json::{Value, json};

for_clients!(needs_clients_plan(plan): claude, codex, gemini, copilot, opencode, qwen);
for_clients!(needs_clients_workflow(workflow): claude, codex, gemini, copilot, opencode, qwen);
for_clients!(needs_clients_plan_limit(plan_limit): claude, codex, gemini, copilot, opencode, qwen);
for_clients!(needs_clients_workflow_limit(workflow_limit): claude, codex, gemini, copilot, opencode, qwen);

for_clients!(needs_clients_without_report(without_report): claude, codex, gemini, copilot, opencode, qwen);
for_clients!(needs_clients_killed(killed): claude, codex, gemini, copilot, opencode, qwen);

const WORK: &str = "cp agent/AGENTS.md made.md";

const PLAN: &str = "steps:
  - {id: copy, owner: A, criteria: c, commands: [\"Run: test -s made.md\"], files: [made.md]}
";

const WORKFLOW: &str = "workflow: flow
workflow_version: 1.0.0
max_steps: 5
steps:
  judge:
    owner: A
    prompt: Judge it.
    context_mode: explicit
    context_inputs: []
    timeout: 2m
    on_failure: abort
    output: {file: out.json, schema: {passed: bool}}
    next: [{goto: end}]
";

/// A repository with owners whose worker is the client.
fn project(client: &Client, argv: &[&str]) -> Sandbox {
    let owner = json!({"argv": argv, "prompt": "argument", "isolation": "worktree", "retries": 0, "timeout": "100s"});
    Sandbox::prepared(&[client.id], |repo| {
        repo.write("agent/owners.yaml", json!({"default": owner}).to_string());
        repo.write("agent/plans/build/plan.yaml", PLAN);
        repo.write("agent/workflows/flow.yaml", WORKFLOW);
    })
}

fn say(document: Value) -> Turn {
    Turn::Say(document.to_string())
}

fn call(client: &Client, command: &str) -> Turn {
    Turn::Call((client.shell)(command))
}

/// A call that fails before the work that succeeds.
fn plan(client: &Client) {
    let sandbox = project(client, client.argv);
    let script = [call(client, "git show nothing"), call(client, WORK), say(success())];
    let session = sandbox.run(client, &script, &["canonry", "run", "exec", "build"]);
    assert_eq!(session.ran.status, 0, "{}\n{}", session.ran.all(), session.transcript());
    assert_eq!(sandbox.repo.text("made.md"), sandbox.repo.text("agent/AGENTS.md"));
    let report = report_on(1, &sandbox);
    assert_eq!((&report["outcome"], &report["details"]), (&json!("success"), &json!("copied")), "{report:#}");
    assert_eq!(session.last().count("Before you stop"), 0, "a worker was reminded");
}

/// The answer of a worker with a failed call is its answer, not what it says after a reminder.
fn workflow(client: &Client) {
    let sandbox = project(client, client.json_argv);
    sandbox.canonry(&["run", "start", "flow", "--task", "Judge"]).expect(0);
    let script = [call(client, "git show nothing"), say(json!({"passed": true})), Turn::Say("I logged it.".to_owned())];
    let session = sandbox.run(client, &script, &["canonry", "run", "exec", "flow"]);
    assert_eq!(session.ran.status, 0, "{}\n{}", session.ran.all(), session.transcript());
    assert_eq!(session.last().count("Before you stop"), 0, "a worker was reminded");
}

fn plan_limit(client: &Client) {
    // Without JSON, OpenCode 1.18.33 prints only the provider's words, and canonry takes no words for a limit.
    let argv = if client.id == "opencode" { client.json_argv } else { client.argv };
    let sandbox = project(client, argv);
    let session = sandbox.run(client, &[Turn::Limit(7_200)], &["canonry", "run", "exec", "build", "--no-wait"]);
    let report = report_on(1, &sandbox);
    assert_eq!(session.ran.status, 2, "{}\n{report:#}", session.ran.all());
    assert_eq!(report["cause"], "usage_limit", "{report:#}");
}

/// A limit spends no attempt: the step waits.
fn workflow_limit(client: &Client) {
    let sandbox = project(client, client.json_argv);
    sandbox.canonry(&["run", "start", "flow", "--task", "Judge"]).expect(0);
    let session = sandbox.run(client, &[Turn::Limit(7_200)], &["canonry", "run", "exec", "flow", "--no-wait"]);
    assert_eq!(session.ran.status, 2, "{}", session.ran.all());
    sandbox.canonry(&["run", "status", "flow"]).says(&["usage limit"]);
}

fn report_on(number: u32, sandbox: &Sandbox) -> Value {
    serde_json::from_str(&sandbox.repo.text(&format!("agent/reports/build/copy.{number}.json"))).unwrap()
}

/// A session with a denied and a failed call, which ends without a report. The next one reads why it counts for nothing.
fn without_report(client: &Client) {
    let sandbox = project(client, client.argv);
    allow_retry(&sandbox);
    let first = [
        call(client, "git push --force origin topic"),
        call(client, "git show nothing"),
        call(client, WORK),
        Turn::Say("I copied it, and everything works.".to_owned()),
    ];
    let second = [call(client, WORK), say(success())];
    let script: Vec<Turn> = first.into_iter().chain(second).collect();
    let session = sandbox.run(client, &script, &["canonry", "run", "exec", "build"]);
    assert_eq!(session.ran.status, 0, "{}\n{}", session.ran.all(), session.transcript());
    assert_eq!(report_on(1, &sandbox)["cause"], "missing_report");
    // Without statistics of the client, which follow the message.
    let error = report_on(1, &sandbox)["error"].as_str().unwrap().to_owned();
    assert_eq!(error, "the worker left no report; it exited 0; its last output: I copied it, and everything works.");
    assert!(session.last().count(&error) > 0, "{}", session.transcript());
    let log = sandbox.repo.text(".git/canonry/pending.jsonl");
    let hooks = usize::from(matches!(client.id, "claude" | "codex" | "gemini" | "opencode" | "qwen"));
    assert_eq!(
        (log.matches("\"denied\"").count(), log.matches("\"git show nothing\"").count()),
        (hooks, hooks),
        "{log}"
    );
    assert_clean(&sandbox);
}

/// Asserts that the run left nothing in the work tree: its rows wait for a night.
fn assert_clean(sandbox: &Sandbox) {
    assert_eq!(sandbox.repo.git(&["status", "--porcelain"]).trim(), "");
}

/// A client that is killed in the middle is a failed attempt.
fn killed(client: &Client) {
    let sandbox = project(client, client.argv);
    allow_retry(&sandbox);
    let record = sandbox.repo.path(".git/canonry/attempts/build/copy.1.attempt.json");
    let script = [call(client, "git show nothing"), Turn::Kill(record), call(client, WORK), say(success())];
    let session = sandbox.run(client, &script, &["canonry", "run", "exec", "build"]);
    assert_eq!(session.ran.status, 0, "{}\n{}", session.ran.all(), session.transcript());
    let report = report_on(1, &sandbox);
    assert_eq!(report["cause"], "missing_report");
    assert!(report["error"].as_str().unwrap().contains("it exited 137"), "{report:#}");
    assert_eq!(sandbox.repo.text("made.md"), sandbox.repo.text("agent/AGENTS.md"));
    assert_clean(&sandbox);
}

fn allow_retry(sandbox: &Sandbox) {
    let owners = sandbox.repo.text("agent/owners.yaml");
    sandbox.repo.write("agent/owners.yaml", owners.replace("\"retries\":0", "\"retries\":1"));
    sandbox.repo.commit_all("a retry");
}

fn success() -> Value {
    json!({
        "step_id": "copy", "outcome": "success", "details": "copied", "artifacts": [],
        "timestamp": "2026-01-02T03:04:05Z",
    })
}
