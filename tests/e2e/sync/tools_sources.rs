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

const RULE_FILES: &str = "  claude: {rules: true}\n  cursor: {rules: true}\n  antigravity: {rules: true}\n  copilot: {rules: true}\n  windsurf: {rules: true}\n  \
                          kiro: {rules: true}\n  cline: {rules: true}\n  agents: {context: map, rules: true}\n";

fn with_rules() -> Repo {
    let repo = with_user_files();
    repo.write("agent/AGENTS.md", "# Working here\n");
    repo.write("agent/rules/api/style.md", "---\nglobs: [\"src/api/**\"]\n---\n\n# API\n\nReturn problems.\n");
    repo.write("agent/rules/ts.md", "---\ndescription: TypeScript\nglobs: [\"**/*.ts\", \"**/*.tsx\"]\n---\n\n# TS\n");
    repo.write("agent/rules/kind.md", "# Be kind\n");
    repo.write("src/api/AGENTS.md", "# Mine\r\n\r\nMy words");
    repo
}

#[test]
fn rules_are_written_for_each_tool_and_removed_without_a_trace() {
    let repo = with_rules();
    switch_on_off_on(&repo, RULE_FILES, 0);
    for (path, text) in [
        (".claude/rules/ts.md", "---\npaths:\n  - \"**/*.ts\"\n  - \"**/*.tsx\"\n---\n\n# TS\n"),
        (".claude/rules/kind.md", "# Be kind\n"),
        (
            ".cursor/rules/ts.mdc",
            "---\ndescription: TypeScript\nglobs: **/*.ts,**/*.tsx\nalwaysApply: false\n---\n\n# TS\n",
        ),
        (".cursor/rules/kind.mdc", "---\nalwaysApply: true\n---\n\n# Be kind\n"),
        (".agents/rules/api-style.md", "---\ntrigger: glob\nglobs: src/api/**\n---\n\n# API\n\nReturn problems.\n"),
        (
            ".github/instructions/ts.instructions.md",
            "---\ndescription: \"TypeScript\"\napplyTo: \"**/*.ts,**/*.tsx\"\n---\n\n# TS\n",
        ),
        (".windsurf/rules/kind.md", "---\ntrigger: always_on\n---\n\n# Be kind\n"),
        (
            ".kiro/steering/api-style.md",
            "---\ninclusion: fileMatch\nfileMatchPattern: [\"src/api/**\"]\n---\n\n# API\n\nReturn problems.\n",
        ),
        (".clinerules/api-style.md", "---\npaths:\n  - \"src/api/**\"\n---\n\n# API\n\nReturn problems.\n"),
        (
            "src/api/AGENTS.md",
            "# Mine\r\n\r\nMy words\r\n\r\n<!-- >>> canonry >>> -->\r\n# API\r\n\r\nReturn problems.\r\n<!-- <<< canonry <<< -->",
        ),
    ] {
        assert_eq!(repo.text(path), text, "{path}");
    }
    let root = repo.text("AGENTS.md");
    assert!(root.contains("# Be kind\n\n> For files: `**/*.ts`, `**/*.tsx`. TypeScript\n\n# TS\n"), "{root}");
    assert!(!root.contains("Return problems"), "{root}");
    repo.check(&[]).expect(0);
    repo.commit_all("all");
    repo.check(&["--rev", "HEAD"]).expect(0);
}

#[test]
fn an_edited_rule_file_is_refused_and_a_removed_rule_is_removed_everywhere() {
    let repo = with_rules();
    config(&repo, RULE_FILES);
    repo.sync(&[]).expect(0);
    repo.write(".clinerules/ts.md", "mine\n");
    repo.write(".windsurf/rules/own.md", "mine\n");
    repo.sync(&[]).expect(5).says(&[".clinerules/ts.md: edited by hand"]).says_nothing_of(&["own.md"]);
    repo.check(&[]).expect(1).says(&["mirror-edited", ".clinerules/ts.md"]);
    repo.write("agent/rules/ts.md", "---\nalwaysApply: false\n---\n\n# TS\n");
    repo.sync(&["--force"]).says(&["backed up .clinerules/ts.md", "`ts` is not written for Claude Code"]);
    assert!(!repo.exists(".clinerules/ts.md") && !repo.exists(".claude/rules/ts.md"));
    assert!(repo.text(".cursor/rules/ts.mdc").contains("alwaysApply: false"));
    repo.remove("agent/rules/api/style.md");
    repo.sync(&[]).expect(1).says(&["removed   .cursor/rules/api/style.mdc"]);
    assert_eq!(repo.text("src/api/AGENTS.md"), "# Mine\r\n\r\nMy words");
    assert_eq!(repo.text(".windsurf/rules/own.md"), "mine\n");
}
