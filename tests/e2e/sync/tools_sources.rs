//! Sources of tool files with more than one form: options of servers, rules, hooks, ignore files, permissions.

use crate::support::repo::Repo;
use crate::sync::tools::config;

/// Files that users wrote before the first sync.
const SETTINGS: &str = "{\r\n\t// ours\r\n\t\"permissions\": {\"deny\": [\"Bash(rm *)\"]},\r\n\t\"theme\": \"x\"\r\n}";
const CODEX: &str = "# Mine\nmodel = \"m\"\n\n[tui] # here\nx = 1";

/// Turns switches on, off and on again. The first and the last state are equal, and the one between restores every user
/// file to the byte.
fn switch_on_off_on(repo: &Repo, files: &str, status: i32) {
    const TREES: [&str; 14] = [
        ".claude",
        ".codex",
        ".gemini",
        ".cursor",
        ".agents",
        ".antigravity",
        ".github",
        ".mcp.json",
        ".cursorignore",
        ".geminiignore",
        ".aiexclude",
        "AGENTS.md",
        "CLAUDE.md",
        "src",
    ];
    config(repo, "  agents: {context: off}\n");
    repo.sync(&[]);
    let before = repo.tree_of(&TREES);
    config(repo, files);
    repo.sync(&[]).expect(status);
    let on = repo.tree_of(&TREES);
    assert_ne!(on, before, "{files}");
    repo.sync(&[]).expect(status).says_nothing_of(&["wrote", "removed"]);
    assert_eq!(repo.tree_of(&TREES), on);
    config(repo, "  agents: {context: off}\n");
    repo.sync(&[]);
    assert_eq!(repo.tree_of(&TREES), before, "{files}");
    config(repo, files);
    repo.sync(&[]).expect(status);
    assert_eq!(repo.tree_of(&TREES), on);
    repo.sync(&["--check"]).expect(status);
}

fn with_user_files() -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(".claude/settings.json", SETTINGS);
    repo.write(".gemini/settings.json", "{}");
    repo.write(".codex/config.toml", CODEX);
    repo
}

const SERVERS: &str =
    r#"{"mcpServers": {"db": {"command": "npx", "timeout": 5000, "excludeTools": ["drop"], "alwaysAllow": ["list"]}}}"#;
const SERVER_FILES: &str =
    "  claude: {mcp: true}\n  gemini: {mcp: true}\n  codex: {mcp: true}\n  antigravity: {mcp: true}\n";

#[test]
fn options_of_servers_are_written_and_removed_without_a_trace() {
    let repo = with_user_files();
    repo.write("agent/mcp.json", SERVERS);
    switch_on_off_on(&repo, SERVER_FILES, 1);
    let settings = repo.text(".claude/settings.json");
    assert!(settings.contains("\"Bash(rm *)\", \"mcp__db__drop\"") && settings.contains("mcp__db__list"), "{settings}");
    assert!(repo.text(".codex/config.toml").contains("tool_timeout_sec = 5\ndisabled_tools = [\"drop\"]"));
    repo.check(&[]).expect(1).says(&["tool-file-omitted", "`alwaysAllow` of `db` is not written for Gemini CLI"]);
    // A filter that a person removed is restored.
    repo.write(".claude/settings.json", SETTINGS);
    repo.sync(&["--check"]).expect(1).says(&[".claude/settings.json"]);
}

#[test]
fn a_server_whose_filter_a_tool_cannot_express_is_removed_from_it() {
    let repo = with_user_files();
    repo.write("agent/mcp.json", r#"{"mcpServers": {"db": {"command": "npx"}}}"#);
    config(&repo, "  claude: {mcp: true}\n  cursor: {mcp: true}\n");
    repo.sync(&[]).expect(0);
    repo.write("agent/mcp.json", r#"{"mcpServers": {"db": {"command": "npx", "includeTools": ["list"]}}}"#);
    repo.sync(&[]).expect(1).says(&["removed   .mcp.json", "removed   .cursor/mcp.json", "`includeTools`"]);
}
