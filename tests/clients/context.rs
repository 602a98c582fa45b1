//! The parts of the canon that a client's model reads, and the client's complaints.

use crate::canon::{MARKS, mark};
use crate::client::{ALL, Client, for_clients};
use crate::sandbox::{Sandbox, Session};
use crate::server::Turn;
use serde_json::Value;
use std::fmt::Write;

for_clients!(needs_clients_alone(alone): claude, codex, gemini, copilot, opencode, qwen);
for_clients!(needs_clients_together(together): claude, codex, gemini, copilot, opencode, qwen);

for_clients!(needs_clients_filter_of_claude(filter_of_claude): copilot, qwen);
for_clients!(needs_clients_once(once): claude, codex, gemini, copilot, opencode, qwen);
for_clients!(needs_clients_beside(beside): claude);
for_clients!(needs_clients_listing(listing): claude, codex);
for_clients!(needs_clients_targets(targets): claude, codex, gemini, copilot, opencode, qwen);

/// In a repository that is prepared for this client.
fn alone(client: &Client) {
    check(client, &[client.id], "alone");
}

/// In a repository that is prepared for all clients.
fn together(client: &Client) {
    check(client, &ALL, "together");
}

/// The targets that `init` chooses show each skill once to each tool.
fn once(client: &Client) {
    let sandbox = Sandbox::initialized(&ALL, None, mark);
    let session = sandbox.session(client, &[]);
    assert_eq!(session.seen[0].count("MARK-SKILL"), 1, "{}", sandbox.repo.text("agent/canonry.yaml"));
}

/// A tool that reads Claude Code's servers does not know the filter beside them.
fn filter_of_claude(client: &Client) {
    let sandbox = Sandbox::prepared(&["claude"], mark);
    let call = Turn::Call((client.server_tool)("hidden"));
    let session = sandbox.session(client, &[call]);
    let results = session.results();
    assert!(results[0].contains("called hidden"), "{results:?}\n{}", session.ran.all());
}

fn check(client: &Client, tools: &[&str], name: &str) {
    let sandbox = Sandbox::prepared(tools, mark);
    let calls = ["shown", "hidden"].map(|tool| Turn::Call((client.server_tool)(tool)));
    let session = sandbox.session(client, &calls);
    insta::assert_snapshot!(format!("{name}_{}", client.id), outline(&sandbox, client, &session));
    session.assert_quiet(client);
    let first = &session.seen[0];
    assert_eq!(first.count("MARK-ROOT"), 1, "root instructions");
    assert_eq!(first.count("MARK-RULE"), 1, "rule");
    let doctor = doctor(&sandbox);
    let mut repeated = doctor["repeated"].as_array().unwrap().iter();
    let repeated = repeated.find(|tool| tool["tool"] == client.id).map(|tool| &tool["folders"]);
    let listed = repeated.map_or(1, |folders| folders.as_array().unwrap().len());
    assert_eq!(first.count("MARK-SKILL"), listed, "a skill, which doctor says is in {repeated:?}");
}

/// Files that keep Claude Code from reading `AGENTS.md`: canonry imports it in `CLAUDE.md`, or the hook gives it.
fn beside(client: &Client) {
    let instructions = |file: &str, text: &str| {
        let sandbox = Sandbox::prepared(&[client.id], mark);
        sandbox.repo.write(file, text);
        sandbox.canonry(&["sync"]).expect(0);
        let session = sandbox.session(client, &[]);
        (sandbox.repo.exists("CLAUDE.md"), session.seen[0].count("MARK-ROOT"), session.seen[0].count("MARK-OWN"))
    };
    assert_eq!(instructions("docs/own.md", "MARK-OWN\n"), (false, 1, 0));
    assert_eq!(instructions("CLAUDE.md", "MARK-OWN\n"), (true, 1, 1));
    assert_eq!(instructions(".claude/CLAUDE.md", "MARK-OWN\n"), (true, 1, 1));
    assert_eq!(instructions("CLAUDE.local.md", "MARK-OWN\n"), (false, 1, 1));
    assert_eq!(instructions("CLAUDE.local.md", "MARK-OWN\n@AGENTS.md\n"), (false, 1, 1));
    assert_eq!(instructions("../CLAUDE.md", "MARK-OWN\n"), (false, 1, 1));
}

/// A skill for Claude Code alone, which others read too because they read its folder: `targets` of a skill cannot be
/// enforced there.
fn targets(client: &Client) {
    let sandbox = Sandbox::prepared(&ALL, mark);
    sandbox.repo.append("agent/canonry.yaml", "skills: {canary: {targets: [claude]}}\n");
    sandbox.canonry(&["sync"]).expect(0);
    let session = sandbox.session(client, &[]);
    let is_read = session.seen[0].count("MARK-SKILL") > 0;
    assert_eq!(is_read, ["claude", "copilot", "opencode"].contains(&client.id), "{}", session.ran.all());
}

/// Descriptions that do not fit into the client's list, with a context of the size that the rule is about.
fn listing(client: &Client) {
    let sandbox = Sandbox::empty();
    sandbox.repo.write("agent/canonry.yaml", format!("targets: [{}]\n", client.id));
    let names: Vec<String> = (10..30).map(|number| format!("skill-{number}")).collect();
    for name in &names {
        // Claude Code lists `when_to_use` too.
        let joint = if client.id == "claude" { "\nwhen_to_use: " } else { " - " };
        let text = format!(
            "---\nname: {name}\ndescription: {}{joint}{} END-{name}\n---\n\n# S\n",
            "x".repeat(300),
            "y".repeat(333)
        );
        sandbox.repo.write(&format!("agent/skills/{name}/SKILL.md"), text);
    }
    sandbox.canonry(&["sync"]).expect(0);
    let (program, rest) = client.argv.split_at(1);
    // Without the skills that Claude Code brings, except for one.
    let options: &[&str] = match client.id {
        "claude" => &["--model", "claude-haiku-4-5", "--settings", r#"{"disableBundledSkills": true}"#],
        _ => &["-c", "model_context_window=100000"],
    };
    let argv = match client.id {
        "claude" => [program, options, rest, &["Do the work."]].concat(),
        _ => [program, rest, options, &["Do the work."]].concat(),
    };
    let session = sandbox.run(client, &[], &argv);
    let text = session.seen[0].text();
    let partial: Vec<&String> = names.iter().filter(|name| !text.contains(&format!("END-{name}"))).collect();
    assert!(names.iter().all(|name| text.contains(&format!("- {name}"))), "{text}");
    let check = sandbox.canonry(&["check", "--select", "listing-budget", "--format", "json"]).stdout;
    let check: Value = serde_json::from_str(&check).unwrap();
    let [finding] = check["findings"].as_array().unwrap().as_slice() else { panic!("{check:#}") };
    let count = format!("the descriptions of {} of 20 skills", partial.len());
    assert!(finding["message"].as_str().unwrap().contains(&count), "{count}: {finding:#}");
    let first = format!("agent/skills/{}/SKILL.md", partial[0]);
    assert_eq!(finding["related"][0]["path"], first, "{finding:#}");
}

fn doctor(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&sandbox.canonry(&["doctor", "--format", "json"]).stdout).unwrap()
}

/// Number of times that the model reads each part of the canon, the tools that it can call, and canonry's own account
/// of what the client reads.
fn outline(sandbox: &Sandbox, client: &Client, session: &Session) -> String {
    let first = &session.seen[0];
    let mut text = String::new();
    for (part, mark) in MARKS {
        writeln!(text, "{part}: {}", first.count(mark)).unwrap();
    }
    let called = |tool: &str| session.results().iter().any(|result| result.contains(&format!("called {tool}")));
    writeln!(text, "call of a tool of a server: {}", called("shown")).unwrap();
    writeln!(text, "call of an excluded tool: {}", called("hidden")).unwrap();
    let mut tools: Vec<&str> = first.tools.iter().map(|tool| tool.name.as_str()).collect();
    tools.sort_unstable();
    writeln!(text, "\ntools: {}\n", tools.join(", ")).unwrap();
    let doctor = doctor(sandbox);
    let mut reads = doctor["reads"].as_array().unwrap().iter();
    let reads = reads.find(|tool| tool["tool"] == client.id).unwrap();
    for folder in reads["folders"].as_array().unwrap() {
        writeln!(text, "doctor: {}, {} skills", folder["path"].as_str().unwrap(), folder["skills"]).unwrap();
    }
    writeln!(text, "doctor: {}", reads["files"]).unwrap();
    text
}
