//! `canonry import` of servers that the client itself wrote, and the way back.

use crate::client::{Client, for_clients};
use crate::sandbox::Sandbox;

for_clients!(needs_clients_import(import): claude, codex, gemini);

/// Commands with which the client adds a local and a remote server to the repository.
fn commands(client: &Client) -> [&'static str; 2] {
    match client.id {
        "claude" => [
            "claude mcp add --scope project docs -- npx -y docs-server",
            "claude mcp add --scope project --transport http web https://mcp.example.com/docs",
        ],
        // It writes only its home, which is the repository's folder here.
        "codex" => [
            "mkdir .codex && CODEX_HOME=.codex codex mcp add docs -- npx -y docs-server",
            "CODEX_HOME=.codex codex mcp add web --url https://mcp.example.com/docs",
        ],
        "gemini" => [
            "gemini mcp add -s project docs npx -- -y docs-server",
            "gemini mcp add -s project --transport http web https://mcp.example.com/docs",
        ],
        other => panic!("{other} writes no settings of a repository"),
    }
}

fn import(client: &Client) {
    let sandbox = Sandbox::empty();
    sandbox.repo.git(&["commit", "-q", "--allow-empty", "-m", "empty"]);
    // Gemini CLI forgets the first server when it writes the second one in a folder that nobody trusts.
    (client.configure)(&sandbox, "http://127.0.0.1:9");
    for line in commands(client) {
        let mut command = sandbox.command("sh");
        command.args(["-c", line]);
        sandbox.wait(command).expect(0);
    }
    let ran = sandbox.canonry(&["import", "--from", "tools"]).expect(0);
    let imported = sandbox.repo.text("agent/mcp.json");
    for part in ["docs-server", "https://mcp.example.com/docs"] {
        assert!(imported.contains(part), "{part}: {imported}\n{}", ran.all());
    }
    // What the client wrote means what canonry would write.
    sandbox.canonry(&["init", "--tools", client.id, "-y"]).expect(0);
    sandbox.canonry(&["sync"]).expect(0);
    sandbox.canonry(&["sync", "--check"]).expect(0);
}
