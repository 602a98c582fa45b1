//! Clients as workers of plans and workflows.

use crate::client::{Client, for_clients};
use crate::sandbox::{Sandbox, Session};
use crate::server::Turn;
use serde_json::{Value, json};

for_clients!(needs_clients_plan(plan): claude, codex, gemini, copilot, opencode, qwen);
for_clients!(needs_clients_workflow(workflow): claude, codex, gemini, copilot, opencode, qwen);
for_clients!(needs_clients_plan_limit(plan_limit): claude, codex, gemini, copilot, opencode, qwen);
for_clients!(needs_clients_workflow_limit(workflow_limit): claude, codex, gemini, copilot, opencode, qwen);

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
    let report = json!({
        "step_id": "copy", "outcome": "success", "details": "copied", "artifacts": [],
        "timestamp": "2026-01-02T03:04:05Z",
    });
    let script = [call(client, "git show nothing"), call(client, WORK), say(report)];
    let session = sandbox.run(client, &script, &["canonry", "plan", "run", "build"]);
    assert_eq!(session.ran.status, 0, "{}\n{}", session.ran.all(), transcript(&session));
    assert_eq!(sandbox.repo.text("made.md"), sandbox.repo.text("agent/AGENTS.md"));
    let report: Value = serde_json::from_str(&sandbox.repo.text("agent/reports/build/copy.1.json")).unwrap();
    assert_eq!((&report["outcome"], &report["details"]), (&json!("success"), &json!("copied")), "{report:#}");
    assert_eq!(session.last().count("Before you stop"), 0, "a worker was reminded");
}

/// The answer of a worker with a failed call is its answer, not what it says after a reminder.
fn workflow(client: &Client) {
    let sandbox = project(client, client.json_argv);
    sandbox.canonry(&["workflow", "start", "flow", "--task", "Judge"]).expect(0);
    let script = [call(client, "git show nothing"), say(json!({"passed": true})), Turn::Say("I logged it.".to_owned())];
    let session = sandbox.run(client, &script, &["canonry", "workflow", "run"]);
    assert_eq!(session.ran.status, 0, "{}\n{}", session.ran.all(), transcript(&session));
    assert_eq!(session.last().count("Before you stop"), 0, "a worker was reminded");
}

fn plan_limit(client: &Client) {
    // Without JSON, OpenCode 1.18.33 prints only the provider's words, and canonry takes no words for a limit.
    let argv = if client.id == "opencode" { client.json_argv } else { client.argv };
    let sandbox = project(client, argv);
    let session = sandbox.run(client, &[Turn::Limit(7_200)], &["canonry", "plan", "run", "build", "--no-wait"]);
    let report: Value = serde_json::from_str(&sandbox.repo.text("agent/reports/build/copy.1.json")).unwrap();
    assert_eq!(session.ran.status, 2, "{}\n{report:#}", session.ran.all());
    assert_eq!(report["cause"], "usage_limit", "{report:#}");
}

/// A limit spends no attempt: the step waits.
fn workflow_limit(client: &Client) {
    let sandbox = project(client, client.json_argv);
    sandbox.canonry(&["workflow", "start", "flow", "--task", "Judge"]).expect(0);
    let session = sandbox.run(client, &[Turn::Limit(7_200)], &["canonry", "workflow", "run", "--no-wait"]);
    assert_eq!(session.ran.status, 2, "{}", session.ran.all());
    sandbox.canonry(&["workflow", "status"]).says(&["usage limit"]);
}

/// Tool results that the model read, and its messages.
fn transcript(session: &Session) -> String {
    session.last().messages.iter().map(|message| format!("{:?}: {}\n", message.role, message.text)).collect()
}
