//! Subagents: which tools they get, and whether the restrictions of the canon hold.

use crate::canon::mark;
use crate::client::{ALL, Client, for_clients};
use crate::sandbox::Sandbox;
use crate::server::{Seen, Turn};

for_clients!(needs_clients_subagent(subagent): claude, codex, gemini, copilot);

/// A subagent with `tools: Read` tries to write a file. The snapshot is the evidence of what its restriction is worth.
fn subagent(client: &Client) {
    let sandbox = Sandbox::prepared(&ALL, mark);
    let write = Turn::Call((client.shell)("cp agent/AGENTS.md made.md"));
    let ask: Vec<Turn> = (client.subagent)("watcher").into_iter().map(Turn::Call).collect();
    let argv: Vec<&str> = client.argv.iter().copied().chain(["Do the work."]).collect();
    let session = sandbox.run_with(client, &ask, &[("MARK-PROMPT", &[write])], &argv);
    let is_child = |seen: &&Seen| seen.count("MARK-PROMPT") > 0;
    let children: Vec<&Seen> = session.seen.iter().filter(is_child).collect();
    assert!(!children.is_empty(), "{}\n{:#?}", session.ran.all(), session.results());
    let mut tools: Vec<&str> = children[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    tools.sort_unstable();
    let wrote = sandbox.repo.exists("made.md");
    insta::assert_snapshot!(
        format!("subagent_{}", client.id),
        format!("wrote a file: {wrote}\n\ntools: {}\n", tools.join(", "))
    );
}
