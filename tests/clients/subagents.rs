//! Subagents: which tools they get, and whether the restrictions of the canon hold.

use crate::canon::mark;
use crate::client::{ALL, Client, for_clients};
use crate::sandbox::Sandbox;
use crate::server::{Seen, Turn};

for_clients!(needs_clients_subagent(subagent): claude, codex, gemini, copilot, qwen);
for_clients!(needs_clients_plan_mode(plan_mode): claude, copilot);
for_clients!(needs_clients_plan_of_claude(plan_of_claude): copilot);

/// A subagent with `tools: Read` tries to write a file. The snapshot is the evidence of what its restriction is worth.
fn subagent(client: &Client) {
    insta::assert_snapshot!(format!("subagent_{}", client.id), attempt(client, &ALL, &[], "tools: Read"));
}

/// The same with `permissionMode: plan`, in a session that accepts edits.
fn plan_mode(client: &Client) {
    let mode: &[&str] = if client.id == "claude" { &["--permission-mode", "acceptEdits"] } else { &[] };
    insta::assert_snapshot!(format!("plan_mode_{}", client.id), attempt(client, &ALL, mode, "permissionMode: plan"));
}

/// The same in a repository that is prepared only for Claude Code.
fn plan_of_claude(client: &Client) {
    let outcome = attempt(client, &["claude"], &[], "permissionMode: plan");
    insta::assert_snapshot!(format!("plan_of_claude_{}", client.id), outcome);
}

fn attempt(client: &Client, tools: &[&str], options: &[&str], restriction: &str) -> String {
    let sandbox = Sandbox::prepared(tools, |repo| {
        mark(repo);
        let subagent = repo.text("agent/agents/watcher.md").replace("tools: Read", restriction);
        repo.write("agent/agents/watcher.md", subagent);
    });
    let write = Turn::Call((client.shell)("cp agent/AGENTS.md made.md"));
    let ask: Vec<Turn> = (client.subagent)("watcher").into_iter().map(Turn::Call).collect();
    let (program, rest) = client.argv.split_at(1);
    let argv: Vec<&str> = [program, options, rest, &["Do the work."]].concat();
    let session = sandbox.run_with(client, &ask, &[("MARK-PROMPT", &[write])], &argv);
    let is_child = |seen: &&Seen| seen.count("MARK-PROMPT") > 0;
    let children: Vec<&Seen> = session.seen.iter().filter(is_child).collect();
    assert!(!children.is_empty(), "{}\n{:#?}", session.ran.all(), session.results());
    let mut tools: Vec<&str> = children[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    tools.sort_unstable();
    format!("wrote a file: {}\n\ntools: {}\n", sandbox.repo.exists("made.md"), tools.join(", "))
}
