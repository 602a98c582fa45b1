//! Cline

use super::Client;
use crate::sandbox::Sandbox;
use crate::server::Call;
use serde_json::json;

pub static CLIENT: Client = Client {
    id: "cline",
    argv: &["cline"],
    json_argv: &["cline", "--json"],
    list_servers: &["cline", "config", "mcp"],
    configure,
    shell,
    server_tool,
    subagent,
    asked: "",
    usual: &["AI SDK Warning"],
};

fn configure(sandbox: &Sandbox, server: &str) -> Vec<(&'static str, String)> {
    let provider = "openai-compatible";
    let settings = json!({"provider": provider, "apiKey": "key", "model": "model", "baseUrl": format!("{server}/v1")});
    let entry = json!({"settings": settings, "updatedAt": "2026-11-27T00:00:00.000Z", "tokenSource": "manual"});
    let file = json!({"version": 1, "lastUsedProvider": provider, "modes": {}, "providers": {provider: entry}});
    sandbox.write_home(".cline/data/settings/providers.json", &file.to_string());
    Vec::new()
}

fn shell(command: &str) -> Call {
    Call { tool: "run_commands".to_owned(), arguments: json!({"commands": [command]}) }
}

fn server_tool(tool: &str) -> Call {
    Call { tool: format!("canary__{tool}"), arguments: json!({}) }
}

fn subagent(_: &str) -> Vec<Call> {
    let arguments = json!({"systemPrompt": "Watch.", "task": "Watch."});
    vec![Call { tool: "spawn_agent".to_owned(), arguments }]
}
