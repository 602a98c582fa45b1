//! Grok Build

use super::Client;
use crate::sandbox::Sandbox;
use crate::server::Call;
use serde_json::json;

pub static CLIENT: Client = Client {
    id: "grok",
    argv: &["grok", "--always-approve", "-p"],
    json_argv: &["grok", "--always-approve", "--output-format", "streaming-json", "-p"],
    list_servers: &["grok", "inspect"],
    configure,
    shell,
    server_tool,
    subagent,
    asked: "a person must approve this and run it",
    usual: &[],
};

fn configure(sandbox: &Sandbox, server: &str) -> Vec<(&'static str, String)> {
    let model = format!("model = \"model\"\nbase_url = \"{server}/v1\"\napi_key = \"key\"\ncontext_window = 200000\n");
    sandbox.write_home(".grok/config.toml", &format!("[models]\ndefault = \"model\"\n\n[model.model]\n{model}"));
    let trusted = format!("[folders.{:?}]\ntrusted = true\ndecided_at = 1\n", sandbox.repo.root);
    sandbox.write_home(".grok/trusted_folders.toml", &trusted);
    Vec::new()
}

fn shell(command: &str) -> Call {
    Call { tool: "run_terminal_command".to_owned(), arguments: json!({"command": command, "description": "Run it"}) }
}

fn server_tool(tool: &str) -> Call {
    let arguments = json!({"tool_name": format!("canary__{tool}"), "tool_input": {}});
    Call { tool: "use_tool".to_owned(), arguments }
}

fn subagent(name: &str) -> Vec<Call> {
    let arguments = json!({"subagent_type": name, "description": "Watch", "prompt": "Watch.", "background": false});
    vec![Call { tool: "spawn_subagent".to_owned(), arguments }]
}
