//! The clients' own lists of skills and servers, compared with what canonry says that they read.

use crate::canon::mark;
use crate::client::{ALL, Client, for_clients};
use crate::sandbox::Sandbox;
use serde_json::Value;

for_clients!(needs_clients_lists(lists): claude, codex, gemini, copilot, opencode, qwen);

fn lists(client: &Client) {
    let sandbox = Sandbox::prepared(&ALL, mark);
    let doctor: Value = serde_json::from_str(&sandbox.canonry(&["doctor", "--format", "json"]).stdout).unwrap();
    let mut reads = doctor["reads"].as_array().unwrap().iter();
    let reads = reads.find(|tool| tool["tool"] == client.id).unwrap();
    let servers = list(&sandbox, client, client.list_servers);
    // Doctor lists the file of the servers, besides the context file.
    let has_servers = reads["files"].as_array().unwrap().iter().any(|file| {
        let file = file.as_str().unwrap();
        (file.ends_with(".json") || file.ends_with(".toml")) && sandbox.repo.text(file).contains("mcp-server.mjs")
    });
    // Qwen Code 0.24.4 reads Claude Code's `.mcp.json` too, once a person has approved the server.
    assert_eq!(servers.contains("canary"), has_servers || client.id == "qwen", "{servers}\n{reads:#}");
    if let Some(argv) = client.list_skills {
        let skills = list(&sandbox, client, argv);
        // Each has the folder of its file.
        let counts = reads["folders"].as_array().unwrap().iter().map(|folder| {
            let path = format!("/{}/", folder["path"].as_str().unwrap());
            let starts = ["\"location\"", "\"path\"", "Location:"];
            let is_place = |line: &&str| starts.iter().any(|start| line.trim_start().starts_with(start));
            skills.lines().filter(is_place).filter(|line| line.contains(&path)).count()
        });
        assert_eq!(counts.sum::<usize>(), 10, "{skills}\n{reads:#}");
        assert!(skills.contains("MARK-SKILL"), "{skills}");
    }
}

/// The output of a command of the client that needs no model.
fn list(sandbox: &Sandbox, client: &Client, argv: &[&str]) -> String {
    let mut command = sandbox.command(argv[0]);
    command.args(&argv[1..]).envs((client.configure)(sandbox, "http://127.0.0.1:9"));
    sandbox.wait(command).expect(0).all()
}
