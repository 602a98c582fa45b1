//! GitHub Copilot CLI

use super::Client;
use crate::sandbox::Sandbox;
use crate::server::Call;
use serde_json::json;

pub static CLIENT: Client = Client {
    id: "copilot",
    argv: &["copilot", "--trust-folder", "--allow-all-tools", "-p"],
    json_argv: &["copilot", "--trust-folder", "--allow-all-tools", "--output-format", "json", "-p"],
    list_servers: &["copilot", "mcp", "list"],
    configure,
    shell,
    server_tool,
    subagent,
    asked: "",
    usual: &[],
};

fn configure(_: &Sandbox, server: &str) -> Vec<(&'static str, String)> {
    vec![
        ("COPILOT_OFFLINE", "true".to_owned()),
        ("COPILOT_PROVIDER_BASE_URL", format!("{server}/v1")),
        ("COPILOT_PROVIDER_TYPE", "openai".to_owned()),
        ("COPILOT_PROVIDER_API_KEY", "key".to_owned()),
        // A name that the client knows, for the size of its context.
        ("COPILOT_MODEL", "gpt-5".to_owned()),
    ]
}

fn shell(command: &str) -> Call {
    Call { tool: "bash".to_owned(), arguments: json!({"command": command, "description": "Run it"}) }
}

fn server_tool(tool: &str) -> Call {
    Call { tool: format!("canary-{tool}"), arguments: json!({}) }
}

fn subagent(name: &str) -> Vec<Call> {
    vec![Call {
        tool: "task".to_owned(),
        arguments: json!({"agent_type": name, "name": "watch", "description": "Watch", "prompt": "Watch."}),
    }]
}
