//! Shared files of tools: servers for one tool, WebSockets, links between context files, hooks that are switched off.

use crate::support::repo::Repo;
use crate::sync::tools::config;
use serde_json::{Value, json};

fn parsed(repo: &Repo, file: &str) -> Value {
    serde_json::from_str(&repo.text(file)).unwrap()
}

#[test]
fn a_web_socket_is_not_rewritten_to_http() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/mcp.json", r#"{"mcpServers": {"w": {"type": "ws", "url": "wss://x.example/mcp"}}}"#);
    config(&repo, "  claude: {mcp: true}\n  gemini: {mcp: true}\n  codex: {mcp: true}\n  cursor: {mcp: true}\n");
    let ran = repo.sync(&[]).expect(1);
    ran.says(&["not written for Gemini CLI: it does not support WebSocket", "`codex/mcp/w`", "`cursor/mcp/w`"]);
    assert_eq!(parsed(&repo, ".mcp.json")["mcpServers"]["w"], json!({"type": "ws", "url": "wss://x.example/mcp"}));
    assert!(!repo.exists(".gemini/settings.json") && !repo.exists(".cursor/mcp.json"));
    repo.write("agent/mcp.json", r#"{"mcpServers": {"w": {"type": "smtp", "url": "x"}}}"#);
    repo.sync(&[]).expect(1).says(&["unknown type `smtp`"]);
}

#[test]
fn servers_for_one_tool_replace_extend_and_remove_the_shared_ones() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(
        "agent/mcp.json",
        r#"{"mcpServers": {"docs": {"command": "docs"}, "db": {"command": "db"}, "old": {"command": "old", "disabled": true}},
            "claude": {"mcpServers": {"docs": null, "own": {"command": "own"}}},
            "cursor": {"mcpServers": {"db": {"command": "other"}}}}"#,
    );
    config(&repo, "  claude: {mcp: true}\n  gemini: {mcp: true}\n  cursor: {mcp: true}\n");
    repo.sync(&[]).expect(0);
    for (file, want) in [
        (".mcp.json", json!({"db": {"command": "db"}, "own": {"command": "own"}})),
        (".gemini/settings.json", json!({"docs": {"command": "docs"}, "db": {"command": "db"}})),
        (".cursor/mcp.json", json!({"docs": {"command": "docs"}, "db": {"command": "other"}})),
    ] {
        assert_eq!(parsed(&repo, file)["mcpServers"], want, "{file}");
    }
}

#[test]
fn a_linked_agents_md_does_not_import_itself() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/AGENTS.md", "# Working here\n");
    repo.write("CLAUDE.md", "# Mine\n");
    repo.link("AGENTS.md", "CLAUDE.md");
    config(&repo, "  claude: {context: import}\n  agents: {context: map}\n");
    repo.sync(&[]).expect(0);
    let text = repo.text("CLAUDE.md");
    assert!(text.contains("# Working here") && !text.contains("@AGENTS.md"), "{text}");
    assert!(repo.text("AGENTS.md").contains("# Working here"));
    repo.sync(&["--check"]).expect(0);
    repo.check(&[]).expect(0);
    config(&repo, "  claude: {context: off}\n");
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text("CLAUDE.md"), "# Mine\n");
}

#[test]
fn hooks_that_are_switched_off_stop_even_if_they_were_edited() {
    let repo = Repo::with_skills(&["alpha"]);
    config(&repo, "  claude: {hooks: true}\n  cursor: {hooks: true}\n");
    let own = r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo canonry hook"}]}"#;
    repo.write(".claude/settings.json", format!("{{\"hooks\": {{\"PreToolUse\": [{own}]}}}}\n"));
    repo.sync(&[]).expect(0);
    let edited = repo.text(".claude/settings.json").replace("\"timeout\": 10", "\"timeout\": 99");
    let edited = edited.replace("\"timeout\":10", "\"timeout\":99");
    // A command of the team beside ours.
    let mut settings: Value = serde_json::from_str(&edited).unwrap();
    let stop = settings["hooks"]["Stop"][0]["hooks"].as_array_mut().unwrap();
    assert_eq!(stop[0]["timeout"], 99);
    stop.push(json!({"type": "command", "command": "make stop"}));
    repo.write(".claude/settings.json", serde_json::to_string_pretty(&settings).unwrap());
    repo.write(".cursor/hooks.json", repo.text(".cursor/hooks.json").replace("canonry hook", "/usr/bin/canonry hook"));
    config(&repo, "  claude: {hooks: false}\n");
    repo.sync(&[]).expect(0).says(&["backed up .claude/settings.json"]).says_nothing_of(&["Up to date"]);
    let settings = parsed(&repo, ".claude/settings.json");
    let ours = settings.to_string().replace("echo canonry hook", "").contains("canonry hook");
    assert!(!ours, "{settings:#}");
    assert_eq!(settings["hooks"]["PreToolUse"], json!([serde_json::from_str::<Value>(own).unwrap()]));
    assert_eq!(settings["hooks"]["Stop"][0]["hooks"], json!([{"type": "command", "command": "make stop"}]));
    assert!(!repo.exists(".cursor/hooks.json") || !repo.text(".cursor/hooks.json").contains("canonry"));
}

#[test]
fn a_table_of_codex_set_by_hand_is_named_with_the_remedy() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/mcp.json", r#"{"mcpServers": {"docs": {"command": "docs", "args": ["a"]}}}"#);
    config(&repo, "  codex: {mcp: true}\n");
    repo.write(".codex/config.toml", "[mcp_servers.docs]\ncommand = \"other\"\n");
    repo.sync(&[]).expect(5).says(&["your `[mcp_servers.docs]` differs from agent/mcp.json; delete it there"]);
    // An equal table is left alone.
    let equal = "[mcp_servers.docs]\nargs = ['a'] # mine\ncommand = 'docs'\n";
    repo.write(".codex/config.toml", equal);
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text(".codex/config.toml"), equal);
    repo.check(&[]).expect(0);
}

/// Deletes what sync wrote from a shared file.
struct Deletion {
    file: &'static str,
    /// A person's version without the part.
    without: &'static str,
    says: &'static str,
    /// The part of the restored file.
    part: &'static str,
}

const DELETIONS: [Deletion; 5] = [
    Deletion {
        file: ".claude/settings.json",
        without: "{\n  \"theme\": \"dark\"\n}\n",
        says: "`Bash(git status)` in `permissions.allow` was deleted since the last sync",
        part: "Bash(git status)",
    },
    Deletion {
        file: ".mcp.json",
        without: "{\"mcpServers\": {\"mine\": {\"command\": \"m\"}}}\n",
        says: "`mcpServers.db` was deleted since the last sync",
        part: "\"db\"",
    },
    Deletion {
        file: "AGENTS.md",
        without: "# Ours\n",
        says: "the canonry block was deleted since the last sync",
        part: "Be kind.",
    },
    Deletion {
        file: ".codex/config.toml",
        without: "model = \"m\"\n",
        says: "the canonry block was deleted since the last sync",
        part: "[mcp_servers.db]",
    },
    Deletion {
        file: ".claude/settings.json",
        without: "{\"permissions\": {\"allow\": [\"Bash(git status)\", \"Bash(git status *)\"]}}\n",
        says: "`Bash(git push --force)` in `permissions.deny` was deleted since the last sync",
        part: "Bash(git push --force)",
    },
];

fn with_parts() -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    config(
        &repo,
        "  claude: {mcp: true, permissions: true, hooks: true}\n  codex: {mcp: true}\n  agents: {context: full}\n",
    );
    repo.write("agent/AGENTS.md", "# Rules\n\nBe kind.\n");
    repo.write("agent/mcp.json", "{\"mcpServers\": {\"db\": {\"command\": \"db\"}}}\n");
    let pages = "# Permissions\n\n## Always allowed\n\n- `git status`\n\n## Never allowed\n\n- `git push --force`\n";
    repo.write("agent/protocols/permissions.md", pages);
    repo.write("AGENTS.md", "# Ours\n");
    repo.write(".codex/config.toml", "model = \"m\"\n");
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo
}

#[test]
fn what_a_person_deletes_from_a_shared_file_is_not_restored() {
    for Deletion { file, without, says, part } in DELETIONS {
        let repo = with_parts();
        assert!(repo.text(file).contains(part), "{file}: {}", repo.text(file));
        // A colleague has only what git has.
        for is_clone in [false, true] {
            if is_clone {
                repo.remove(".git/canonry");
            }
            repo.write(file, without);
            for _ in 0..2 {
                repo.sync(&[]).expect(5).says(&[file, says, "delete it in agent/", "canonry sync --force"]);
                assert_eq!(repo.text(file), without);
            }
            repo.sync(&["--check"]).expect(1).says(&[says]);
            let report = repo.check(&[]).expect(1).all().replace("\n  │ ", " ");
            assert!(report.contains(says), "{report}");
            repo.sync(&["--force"]).expect(0);
            assert!(repo.text(file).contains(part), "{file}: {}", repo.text(file));
            repo.sync(&["--check"]).expect(0);
            repo.git(&["checkout", "-q", "."]);
        }
    }
}

/// A deleted hook is one object in a list.
#[test]
fn a_deleted_hook_is_not_restored_and_can_be_deleted_in_the_canon() {
    let repo = with_parts();
    assert!(repo.text(".claude/settings.json").contains("canonry hook"));
    repo.write(".claude/settings.json", "{\"permissions\": {\"allow\": [\"Bash(git status)\"]}}\n");
    repo.sync(&[]).expect(5).says(&["canonry's entry in `hooks."]);
    assert!(!repo.text(".claude/settings.json").contains("canonry hook"));
    config(&repo, "  claude: {mcp: true}\n  codex: {mcp: true}\n  agents: {context: full}\n");
    repo.sync(&[]).expect(0);
    repo.sync(&["--check"]).expect(0);
}

/// A file that is gone as a whole is written again, like a mirror.
#[test]
fn a_deleted_shared_file_is_written_again() {
    let repo = with_parts();
    repo.remove(".mcp.json");
    repo.sync(&[]).expect(0).says(&["wrote     .mcp.json"]);
}

/// Claude Code reads `AGENTS.md` itself where it has no file of its own.
#[test]
fn claude_md_gets_an_import_only_beside_other_text() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/AGENTS.md", "# Working here\n");
    // Without `AGENTS.md` at the top, there is nothing else to read; an older sync wrote the file always.
    config(&repo, "  claude: {context: import}\n");
    repo.sync(&["--commit"]).expect(0);
    assert!(repo.text("CLAUDE.md").contains("@agent/AGENTS.md"));
    config(&repo, "  claude: {context: import}\n  agents: {context: map}\n");
    repo.sync(&["--check"]).expect(1).says(&["CLAUDE.md"]);
    repo.sync(&["--commit"]).expect(0).says(&["removed   CLAUDE.md"]);
    assert!(!repo.exists("CLAUDE.md") && !repo.text("agent/mirrors.lock").contains("CLAUDE.md"));
    repo.sync(&["--check"]).expect(0);
    repo.write("CLAUDE.md", "# Mine\n");
    repo.sync(&["--check"]).expect(1);
    repo.sync(&[]).expect(0).says(&["wrote     CLAUDE.md"]);
    assert!(repo.text("CLAUDE.md").starts_with("# Mine\n") && repo.text("CLAUDE.md").contains("\n@AGENTS.md\n"));
    // The person's text goes, and with it what kept Claude Code from reading `AGENTS.md`.
    repo.remove("CLAUDE.md");
    repo.sync(&[]).expect(0);
    assert!(!repo.exists("CLAUDE.md"));
    repo.write(".claude/CLAUDE.md", "# Ours\n");
    repo.sync(&[]).expect(0).says(&["wrote     CLAUDE.md"]);
    repo.write(".git/info/exclude", ".claude/CLAUDE.md\n");
    repo.sync(&[]).expect(0).says(&["removed   CLAUDE.md"]);
    repo.sync(&["--check"]).expect(0);
}
