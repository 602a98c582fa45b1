//! Codex

use super::Client;
use crate::sandbox::Sandbox;
use crate::server::Call;
use serde_json::json;

pub static CLIENT: Client = Client {
    id: "codex",
    // The flag stands for a person who reviewed the hooks with `/hooks`.
    argv: &["codex", "exec", "--sandbox", "workspace-write", "--dangerously-bypass-hook-trust"],
    json_argv: &["codex", "exec", "--json", "--sandbox", "workspace-write", "--dangerously-bypass-hook-trust"],
    list_servers: &["codex", "mcp", "list"],
    configure,
    shell,
    server_tool,
    subagent,
    asked: "a person must approve this and run it",
    usual: &[
        "could not create PATH aliases",
        "could not find bubblewrap",
        "`--dangerously-bypass-hook-trust` is enabled",
    ],
};

fn configure(sandbox: &Sandbox, server: &str) -> Vec<(&'static str, String)> {
    let config = format!(
        "model_provider = \"local\"\n\
         [model_providers.local]\nname = \"local\"\nbase_url = \"{server}/v1\"\nwire_api = \"responses\"\n\
         env_key = \"MODEL_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n\
         [projects.\"{}\"]\ntrust_level = \"trusted\"\n",
        sandbox.repo.root.display()
    );
    sandbox.write_home(".codex/config.toml", &config);
    vec![("MODEL_KEY", "key".to_owned())]
}

/// The default model of 0.169 calls every tool in JavaScript.
fn shell(command: &str) -> Call {
    let code = format!("text(await tools.exec_command({{cmd: {}}}))", json!(command));
    Call { tool: "functions/exec".to_owned(), arguments: json!(code) }
}

fn server_tool(tool: &str) -> Call {
    let code = format!("text(await tools.mcp__canary__{tool}({{}}))");
    Call { tool: "functions/exec".to_owned(), arguments: json!(code) }
}

/// It works in the background.
fn subagent(name: &str) -> Vec<Call> {
    let arguments = json!({"agent_type": name, "task_name": "watch", "message": "Watch.", "fork_turns": "none"});
    let spawn = Call { tool: "collaboration/spawn_agent".to_owned(), arguments };
    let wait = Call { tool: "collaboration/wait_agent".to_owned(), arguments: json!({"timeout_ms": 20_000}) };
    vec![spawn, wait]
}
