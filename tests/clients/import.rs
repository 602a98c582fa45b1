//! `canonry import` of servers that the client itself wrote, and the way back.

use crate::client::{Client, for_clients};
use crate::sandbox::Sandbox;

for_clients!(needs_clients_import(import): claude, codex, gemini, copilot, opencode, qwen);

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
        "qwen" => [
            "qwen mcp add -s project docs npx -- -y docs-server",
            "qwen mcp add -s project --transport http web https://mcp.example.com/docs",
        ],
        // These write only the home, in the format that they read in a repository.
        "copilot" => [
            "copilot mcp add docs -- npx -y docs-server",
            "copilot mcp add --transport http web https://mcp.example.com/docs && cp ~/.copilot/mcp-config.json .mcp.json",
        ],
        "opencode" => [
            "opencode mcp add docs -- npx -y docs-server",
            "opencode mcp add web --url https://mcp.example.com/docs && cp ~/.config/opencode/opencode.json* opencode.json",
        ],
        other => panic!("{other} is not known"),
    }
}

fn import(client: &Client) {
    let sandbox = Sandbox::empty();
    sandbox.repo.git(&["commit", "-q", "--allow-empty", "-m", "empty"]);
    // Gemini CLI forgets the first server when it writes the second one in a folder that nobody trusts.
    let environment = (client.configure)(&sandbox, "http://127.0.0.1:9");
    for line in commands(client) {
        let mut command = sandbox.command("sh");
        command.args(["-c", line]).envs(environment.clone());
        sandbox.wait(command).expect(0);
    }
    let ran = sandbox.canonry(&["import", "--from", "tools"]).expect(0);
    let imported = sandbox.repo.text("agent/mcp.json");
    for part in ["docs-server", "https://mcp.example.com/docs"] {
        assert!(imported.contains(part), "{part}: {imported}\n{}", ran.all());
    }
    // Copilot CLI writes `"type": "local"` and `tools`, and Claude Code, which reads the same file, does not.
    if client.id == "copilot" {
        return;
    }
    // What the client wrote means what canonry would write.
    sandbox.canonry(&["init", "--tools", client.id, "--all"]).expect(0);
    sandbox.canonry(&["sync"]).expect(0);
    sandbox.canonry(&["sync", "--check"]).expect(0);
}
