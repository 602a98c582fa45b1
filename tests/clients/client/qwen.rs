//! Qwen Code

use super::Client;
use crate::sandbox::Sandbox;
use crate::server::Call;
use serde_json::json;

pub static CLIENT: Client = Client {
    id: "qwen",
    argv: &["qwen", "--auth-type", "openai", "--yolo", "-p"],
    json_argv: &["qwen", "--auth-type", "openai", "--yolo", "--output-format", "stream-json", "-p"],
    list_servers: &["qwen", "mcp", "list"],
    configure,
    shell,
    server_tool,
    subagent,
    asked: "a person must approve this and run it",
    usual: &["Ripgrep not available"],
};

fn configure(_: &Sandbox, server: &str) -> Vec<(&'static str, String)> {
    vec![
        ("OPENAI_BASE_URL", format!("{server}/v1")),
        ("OPENAI_API_KEY", "key".to_owned()),
        ("OPENAI_MODEL", "model".to_owned()),
        ("QWEN_CODE_SUPPRESS_YOLO_WARNING", "1".to_owned()),
    ]
}

fn shell(command: &str) -> Call {
    let arguments = json!({"command": command, "is_background": false});
    Call { tool: "run_shell_command".to_owned(), arguments }
}

fn server_tool(tool: &str) -> Call {
    Call { tool: format!("mcp__canary__{tool}"), arguments: json!({}) }
}

fn subagent(name: &str) -> Vec<Call> {
    vec![Call {
        tool: "agent".to_owned(),
        arguments: json!({"subagent_type": name, "description": "Watch", "prompt": "Watch."}),
    }]
}
