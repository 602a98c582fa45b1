//! Sources of tool files with more than one form: options of servers, rules, hooks, ignore files, permissions.

use crate::support::repo::{Held, Repo};
use crate::sync::tools::config;

/// Files that users wrote before the first sync.
const SETTINGS: &str = "{\r\n\t// ours\r\n\t\"permissions\": {\"deny\": [\"Bash(rm *)\"]},\r\n\t\"theme\": \"x\"\r\n}";
const CODEX: &str = "# Mine\nmodel = \"m\"\n\n[tui] # here\nx = 1";

/// Turns switches on, off and on again. The first and the last state are equal, and the one between restores every user
/// file to the byte.
fn switch_on_off_on(repo: &Repo, files: &str, status: i32) {
    const TREES: [&str; 20] = [
        ".claude",
        ".codex",
        ".gemini",
        ".cursor",
        ".agents",
        ".antigravity",
        ".github",
        ".opencode",
        ".clinerules",
        ".kiro",
        ".mcp.json",
        ".cursorignore",
        ".geminiignore",
        ".aiexclude",
        "AGENTS.md",
        "CLAUDE.md",
        "src",
        ".kiroignore",
        ".clineignore",
        ".codeiumignore",
    ];
    // A folder that a file needed may stay; git does not know it.
    let held = || {
        let mut tree = repo.tree_of(&TREES);
        tree.retain(|_, held| !matches!(held, Held::Folder));
        tree
    };
    config(repo, "  agents: {context: off}\n");
    repo.sync(&[]);
    let before = held();
    config(repo, files);
    repo.sync(&[]).expect(status);
    let on = held();
    assert_ne!(on, before, "{files}");
    repo.sync(&[]).expect(status).says_nothing_of(&["wrote  ", "removed  "]);
    assert_eq!(held(), on);
    config(repo, "  agents: {context: off}\n");
    repo.sync(&[]);
    assert_eq!(held(), before, "{files}");
    config(repo, files);
    repo.sync(&[]).expect(status);
    assert_eq!(held(), on);
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
                          kiro: {rules: true}\n  cline: {rules: true}\n  agents: {context: map}\n";
/// Tools that read AGENTS.md as well get no second copy of a rule that always applies.
const RULES_IN_AGENTS_MD: &str = "  claude: {rules: true}\n  agents: {context: map, rules: true}\n";

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
    ] {
        assert_eq!(repo.text(path), text, "{path}");
    }
    repo.check(&[]).expect(0);
    repo.commit_all("all");
    repo.check(&["--rev", "HEAD"]).expect(0);
}

#[test]
fn rules_in_agents_md_are_removed_without_a_trace() {
    let repo = with_rules();
    switch_on_off_on(&repo, RULES_IN_AGENTS_MD, 0);
    assert_eq!(
        repo.text("src/api/AGENTS.md"),
        "# Mine\r\n\r\nMy words\r\n\r\n<!-- >>> canonry >>> -->\r\n# API\r\n\r\nReturn problems.\r\n<!-- <<< canonry <<< -->"
    );
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
    repo.sync(&[]).expect(1).says(&["removed   .cursor/rules/api"]);
    assert_eq!(repo.text("src/api/AGENTS.md"), "# Mine\r\n\r\nMy words");
    assert_eq!(repo.text(".windsurf/rules/own.md"), "mine\n");
}

const HOOKS: &str = "hooks:\n  post-tool:\n    - command: ./scripts/format.sh\n      matcher: Edit|Write\n      timeout: 30\n  stop:\n    - command: ./scripts/audit.sh\n  subagent-stop:\n    - command: ./scripts/audit.sh\n      tools: [claude, gemini]\n";
const HOOK_FILES: &str = "  claude: {hooks: true, team_hooks: true}\n  gemini: {team_hooks: true}\n  codex: {team_hooks: true}\n  cursor: {hooks: true, team_hooks: true}\n  antigravity: {team_hooks: true}\n";

fn with_hooks() -> Repo {
    let repo = with_user_files();
    repo.write("agent/hooks.yaml", HOOKS);
    repo.write("scripts/format.sh", "#!/bin/sh\n");
    repo.write("scripts/audit.sh", "#!/bin/sh\n");
    repo
}

#[test]
fn a_teams_hooks_are_written_beside_ours_and_removed_without_a_trace() {
    let repo = with_hooks();
    repo.write(".cursor/hooks.json", "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"mine\"}]}}\n");
    switch_on_off_on(&repo, HOOK_FILES, 1);
    let json = |path: &str| -> serde_json::Value { serde_json::from_str(&repo.text(path)).unwrap() };
    let gemini = json(".gemini/settings.json");
    assert_eq!(gemini["hooks"]["AfterTool"][0]["hooks"][0]["timeout"], 30000, "{gemini}");
    assert_eq!(gemini["hooks"]["AfterTool"][0]["matcher"], "replace|write_file", "{gemini}");
    let cursor = json(".cursor/hooks.json");
    assert_eq!(cursor["hooks"]["stop"].as_array().unwrap().len(), 3, "{cursor}");
    assert_eq!(json(".codex/hooks.json")["hooks"]["PostToolUse"][0]["matcher"], "apply_patch");
    assert_eq!(json(".agents/hooks.json")["team"]["Stop"][0]["command"], "./scripts/audit.sh");
    assert!(repo.text(".claude/settings.json").contains("\"SubagentStop\""));
    repo.sync(&[]).expect(1).says(&["of `subagent-stop` is not written for Gemini CLI: it has no such event"]);
    let lock = repo.text("agent/mirrors.lock");
    let mut lines: Vec<&str> = lock.lines().collect();
    lines.dedup();
    assert_eq!(lines.len(), lock.lines().count(), "{lock}");
    // Ours go, the team's stay.
    config(&repo, "  claude: {team_hooks: true}\n  cursor: {team_hooks: true}\n");
    repo.sync(&[]).expect(0);
    let settings = repo.text(".claude/settings.json");
    assert!(settings.contains("./scripts/audit.sh") && !settings.contains("canonry hook"), "{settings}");
}

const FILES_OF_HOOKS: [&str; 5] = [
    ".clinerules/hooks/PostToolUse.bash",
    ".clinerules/hooks/PostToolUse.sh",
    ".clinerules/hooks/PreToolUse.sh",
    ".kiro/hooks/canonry-team.json",
    ".opencode/plugins/canonry-team.js",
];

#[test]
fn a_teams_hooks_are_written_as_files_and_removed_without_a_trace() {
    let repo = with_hooks();
    let simple = "  pre-tool:\n    - command: ./scripts/audit.sh\n  prompt:\n    - command: date\n";
    repo.write("agent/hooks.yaml", format!("{HOOKS}{simple}"));
    repo.append("agent/hooks.yaml", "  session-start:\n    - command: date\n");
    let post = "    - command: ./scripts/audit.sh\n    - command: date\n    - {command: id, matcher: fs_.*, tools: [kiro]}\n  stop:\n";
    let text = repo.text("agent/hooks.yaml").replace("  stop:\n", post);
    repo.write("agent/hooks.yaml", text);
    repo.write(".clinerules/hooks/TaskStart", "#!/bin/sh\n");
    let files = "  opencode: {hooks: true, team_hooks: true}\n  cline: {hooks: true, team_hooks: true}\n  kiro: {team_hooks: true}\n";
    switch_on_off_on(&repo, files, 1);
    let shown: String = FILES_OF_HOOKS.iter().map(|path| format!("==> {path}\n{}\n", repo.text(path))).collect();
    let (plugin, _) = shown.split_once("export const").unwrap();
    let omitted = repo.sync(&[]).expect(1);
    let omitted: Vec<&str> = omitted.stdout.lines().filter(|line| line.contains(" is not written for ")).collect();
    insta::assert_snapshot!(format!("{plugin}...\n\n{}", omitted.join("\n")));
    repo.check(&[]).expect(1).says(&["tool-file-omitted"]).says_nothing_of(&["[tool-file-schema]"]);

    // What cannot be read removes nothing.
    repo.write("agent/hooks.yaml", "hooks: [\n");
    repo.sync(&[]).expect(1).says(&["0 removed"]);
    assert!(FILES_OF_HOOKS.iter().all(|path| repo.exists(path)));
}

#[test]
fn mistakes_in_hooks_are_reported_and_nothing_is_removed() {
    let repo = with_hooks();
    config(&repo, "  claude: {team_hooks: true}\n");
    repo.sync(&[]).expect(0);
    repo.check(&[]).expect(0);
    let before = repo.text(".claude/settings.json");
    for (text, rule, words) in [
        ("hooks:\n  PreToolUse:\n    - command: ./scripts/audit.sh\n", "tool-file-schema", "did you mean `pre-tool`?"),
        ("hooks:\n  stop:\n    - command: ./scripts/gone.sh\n", "tool-script-missing", "scripts/gone.sh"),
        ("hooks:\n  stop:\n    - command: ./scripts/audit.sh\n      timeout: 30000\n", "hook-timeout-unit", "seconds"),
        ("hooks:\n  stop:\n    - timeout: 3\n", "tool-file-schema", "no `command`"),
        ("hooks:\n  stop:\n    - command: ./scripts/audit.sh\n      tools: [vim]\n", "tool-file-schema", "vim"),
        ("hooks: [\n", "tool-file-schema", "invalid YAML"),
    ] {
        repo.write("agent/hooks.yaml", text);
        repo.check(&[]).expect(1).says(&[rule, words]);
    }
    repo.sync(&[]).expect(1).says(&["agent/hooks.yaml"]);
    assert_eq!(repo.text(".claude/settings.json"), before);
}

const IGNORE: &str = "# Secrets\n*.pem\n/secrets/\n!public.pem\n";
const IGNORE_FILES: &str = "  claude: {ignore: true}\n  gemini: {ignore: true}\n  cursor: {ignore: true}\n  windsurf: {ignore: true}\n  kiro: {ignore: true}\n  cline: {ignore: true}\n";

#[test]
fn the_ignore_list_is_written_for_each_tool_and_removed_without_a_trace() {
    let repo = with_user_files();
    repo.write("agent/ignore", IGNORE);
    repo.write(".cursorignore", "mine/\r\nlast");
    switch_on_off_on(&repo, IGNORE_FILES, 1);
    let block = format!("# >>> canonry >>>\n{IGNORE}# <<< canonry <<<\n");
    for file in [".geminiignore", ".codeiumignore", ".kiroignore", ".clineignore"] {
        assert_eq!(repo.text(file), block, "{file}");
    }
    let cursor = repo.text(".cursorignore");
    assert!(cursor.starts_with("mine/\r\nlast\r\n\r\n# >>> canonry >>>\r\n# Secrets\r\n*.pem\r\n"), "{cursor:?}");
    let settings = repo.text(".claude/settings.json");
    for entry in ["\"Bash(rm *)\"", "Read(/**/*.pem)", "Read(/secrets/**)"] {
        assert!(settings.contains(entry), "{entry}: {settings}");
    }
    repo.check(&[]).expect(1).says(&["`!public.pem` is not written for Claude Code", "claude/ignore/!public.pem"]);
    config(&repo, &format!("{IGNORE_FILES}  accept_omitted: [\"claude/ignore/*\"]\n"));
    repo.sync(&[]).expect(0);
    repo.check(&[]).expect(0);
    repo.commit_all("all");
    repo.check(&["--rev", "HEAD"]).expect(0);
    // What a person changes in the block is theirs until they move it.
    repo.write(".kiroignore", block.replace("*.pem", "*.key"));
    repo.sync(&[]).expect(5).says(&[".kiroignore", "agent/ignore"]);
    repo.write("agent/ignore", IGNORE.replace("*.pem", "*.key"));
    repo.sync(&[]).expect(0);
}

/// Without its scope, a rule would always apply.
#[test]
fn a_rule_with_invalid_frontmatter_is_not_written() {
    let repo = Repo::with_skills(&["alpha"]);
    config(&repo, "  cursor: {rules: true}\n");
    repo.write("agent/rules/style.md", "---\nglobs: \"*.ts\"\n---\n\nUse single quotes.\n");
    repo.sync(&[]).expect(0);
    let before = repo.text(".cursor/rules/style.mdc");
    repo.write("agent/rules/style.md", "---\nglobs: *.ts\n---\n\nUse double quotes.\n");
    repo.sync(&[]).expect(1).says(&["refused   agent/rules/style.md: line 2: the frontmatter is not valid YAML"]);
    assert_eq!(repo.text(".cursor/rules/style.mdc"), before);
    let check = repo.check(&["--format", "concise"]).expect(1);
    assert_eq!(format!("{}{}", check.stdout, check.stderr).matches("agent/rules/style.md:2:8: error").count(), 1);
}
