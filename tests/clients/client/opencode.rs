//! OpenCode

use super::Client;
use crate::sandbox::Sandbox;
use crate::server::Call;
use serde_json::json;

pub static CLIENT: Client = Client {
    id: "opencode",
    argv: &["opencode", "run"],
    json_argv: &["opencode", "run", "--format", "json"],
    list_servers: &["opencode", "mcp", "list"],
    configure,
    shell,
    server_tool,
    subagent,
    asked: "a person must approve this and run it",
    usual: &["Invalid Tool"],
};

fn configure(_: &Sandbox, server: &str) -> Vec<(&'static str, String)> {
    let model = json!({"name": "model", "tool_call": true, "limit": {"context": 200_000, "output": 8000}});
    let options = json!({"baseURL": format!("{server}/v1"), "apiKey": "key"});
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible", "name": "local", "options": options, "models": {"model": model},
    });
    let config = json!({"model": "local/model", "small_model": "local/model", "provider": {"local": provider}});
    let flags = ["OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD"];
    let flags = flags.map(|flag| (flag, "1".to_owned()));
    // With a plugin, it tries to install packages at each start and waits for the result: 70 seconds without a network.
    let retries = ("npm_config_fetch_retries", "0".to_owned());
    [("OPENCODE_CONFIG_CONTENT", config.to_string()), retries].into_iter().chain(flags).collect()
}

fn shell(command: &str) -> Call {
    Call { tool: "bash".to_owned(), arguments: json!({"command": command, "description": "Run it"}) }
}

fn server_tool(tool: &str) -> Call {
    Call { tool: format!("canary_{tool}"), arguments: json!({}) }
}

fn subagent(name: &str) -> Vec<Call> {
    vec![Call {
        tool: "task".to_owned(),
        arguments: json!({"subagent_type": name, "description": "Watch", "prompt": "Watch."}),
    }]
}
