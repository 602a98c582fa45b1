//! Claude Code

use super::Client;
use crate::sandbox::Sandbox;
use crate::server::Call;
use serde_json::json;

pub static CLIENT: Client = Client {
    id: "claude",
    argv: &["claude", "--allowedTools=Bash(cp *)", "-p"],
    json_argv: &["claude", "--allowedTools=Bash(cp *)", "--output-format", "stream-json", "--verbose", "-p"],
    list_servers: &["claude", "mcp", "list"],
    configure,
    shell,
    server_tool,
    subagent,
    // Without canonry's reason.
    asked: "you haven't granted it yet",
    usual: &[],
};

fn configure(sandbox: &Sandbox, server: &str) -> Vec<(&'static str, String)> {
    let project = json!({"hasTrustDialogAccepted": true, "enabledMcpjsonServers": ["canary"]});
    let projects = json!({sandbox.repo.root.to_str().unwrap(): project});
    let settings = json!({"hasCompletedOnboarding": true, "projects": projects});
    sandbox.write_home(".claude.json", &settings.to_string());
    vec![
        ("ANTHROPIC_BASE_URL", server.to_owned()),
        ("ANTHROPIC_API_KEY", "key".to_owned()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
    ]
}

fn shell(command: &str) -> Call {
    Call { tool: "Bash".to_owned(), arguments: json!({"command": command}) }
}

fn server_tool(tool: &str) -> Call {
    Call { tool: format!("mcp__canary__{tool}"), arguments: json!({}) }
}

fn subagent(name: &str) -> Vec<Call> {
    vec![Call {
        tool: "Agent".to_owned(),
        arguments: json!({"subagent_type": name, "description": "Watch", "prompt": "Watch."}),
    }]
}
