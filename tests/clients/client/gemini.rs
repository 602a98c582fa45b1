//! Gemini CLI

use super::Client;
use crate::sandbox::Sandbox;
use crate::server::Call;
use serde_json::json;

pub static CLIENT: Client = Client {
    id: "gemini",
    // `--skip-trust` does not load the settings of the project, which have the hooks.
    argv: &["env", "GEMINI_CLI_TRUST_WORKSPACE=true", "gemini", "--approval-mode", "yolo", "-p"],
    json_argv: &[
        "env",
        "GEMINI_CLI_TRUST_WORKSPACE=true",
        "gemini",
        "--approval-mode",
        "yolo",
        "--output-format",
        "stream-json",
        "-p",
    ],
    list_servers: &["gemini", "mcp", "list"],
    configure,
    shell,
    server_tool,
    subagent,
    asked: "a person must approve this and run it",
    usual: &["256-color support", "Ripgrep is not available", "project-level hooks have been detected"],
};

fn configure(sandbox: &Sandbox, server: &str) -> Vec<(&'static str, String)> {
    let trusted = json!({sandbox.repo.root.to_str().unwrap(): "TRUST_FOLDER"});
    sandbox.write_home(".gemini/trustedFolders.json", &trusted.to_string());
    let settings = json!({"security": {"auth": {"selectedType": "gemini-api-key"}}});
    sandbox.write_home(".gemini/settings.json", &settings.to_string());
    acknowledge_agents(sandbox);
    vec![("GEMINI_API_KEY", "key".to_owned()), ("GOOGLE_GEMINI_BASE_URL", server.to_owned())]
}

fn shell(command: &str) -> Call {
    Call { tool: "run_shell_command".to_owned(), arguments: json!({"command": command}) }
}

fn server_tool(tool: &str) -> Call {
    Call { tool: format!("mcp_canary_{tool}"), arguments: json!({}) }
}

fn subagent(name: &str) -> Vec<Call> {
    vec![Call { tool: "invoke_agent".to_owned(), arguments: json!({"agent_name": name, "prompt": "Watch."}) }]
}

/// Accepts the subagents of the repository, as a person does in the terminal.
fn acknowledge_agents(sandbox: &Sandbox) {
    let mut hashes = serde_json::Map::new();
    for path in sandbox.repo.tree_of(&[".gemini/agents"]).into_keys().filter(|path| path.ends_with(".md")) {
        let output = sandbox.command("sha256sum").arg(&path).output().unwrap();
        let hash = String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned();
        let name = path.rsplit('/').next().unwrap().trim_end_matches(".md").to_owned();
        hashes.insert(name, json!(hash));
    }
    let known = json!({sandbox.repo.root.to_str().unwrap(): hashes});
    sandbox.write_home(".gemini/acknowledgments/agents.json", &known.to_string());
}
