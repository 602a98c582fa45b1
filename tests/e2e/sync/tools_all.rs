//! All tool files at once, whole generated files, and content that a tool cannot express.

use crate::support::repo::Repo;
use crate::sync::tools::{SERVERS, config, with_servers};

const PERMISSIONS: &str = "---\ndefaultMode: default\n---\n\n# Permissions\n\n## Always allowed\n\n- `git status`, `cargo test`.\n- Edit: `src/**`.\n\n\
                           ## Requires approval\n\n- `git push`, or a release.\n- MCP: `db/insert`\n\n\
                           ## Never allowed\n\n- Read secrets: `.env*`.\n- `git push --force`.\n- Edit: `migrations/`.\n- MCP: `db/drop`\n\n## Approved domains\n\n- docs.rs\n";

const ALL: &str =
    "  claude: {context: import, mcp: true, permissions: true, subagents: true, commands: true, hooks: true}
  gemini: {context: setting, mcp: true, permissions: true, subagents: true, commands: true, hooks: true, skills: true}
  codex: {mcp: true, permissions: true, subagents: true, hooks: true, sidecar: true}
  cursor: {context: true, mcp: true, permissions: true, subagents: true, commands: true, hooks: true}
  antigravity: {context: true, mcp: true, permissions: true, subagents: true, commands: true, hooks: true}
  copilot: {subagents: true}
  agents: {context: full}
";

/// A canon with every kind of file, and user files with comments, tabs and mixed line endings.
fn with_everything() -> Repo {
    let repo = with_servers();
    repo.write("agent/AGENTS.md", "# Working here\n\nBuild it.\n");
    repo.write("agent/policies/WORKFLOW.md", "# Five phases\n\nIntake first.\n");
    repo.write("agent/protocols/permissions.md", PERMISSIONS);
    repo.write(
        "agent/agents/reviewer.md",
        "---\nname: reviewer\ndescription: \"Reviews: all.\"\nmodel: opus\n---\n\nReview it.\n",
    );
    repo.write("agent/commands/git/tag.md", "---\ndescription: Tags a release\n---\n\nTag $ARGUMENTS.\n");
    repo.write("CLAUDE.md", "# Mine\r\n\r\nMy words");
    repo.write("AGENTS.md", "# Ours\n");
    repo.write(
        ".claude/settings.json",
        "{\n  // mine\n  \"permissions\": {\"allow\": [\"Bash(ls)\"]},\n  \"hooks\": {\"Stop\": []}\n}",
    );
    repo.write(".cursor/hooks.json", "{\"version\": 1, \"hooks\": {}}\n");
    config(&repo, ALL);
    repo
}

#[test]
fn every_tool_file_is_written_passes_the_check_and_is_removed_without_a_trace() {
    let repo = with_everything();
    let people = [
        "CLAUDE.md",
        "AGENTS.md",
        ".claude/settings.json",
        ".cursor/hooks.json",
        ".gemini/settings.json",
        ".codex/config.toml",
    ];
    let before = repo.tree_of(&people);
    repo.sync(&[]).expect(1).says(&["`db` is not written for Antigravity"]);
    repo.write("agent/mcp.json", SERVERS.replace("${KEY}", "k"));
    repo.sync(&[]).expect(0);
    for (path, part) in [
        ("CLAUDE.md", "My words\r\n\r\n<!-- >>> canonry >>> -->\r\n@AGENTS.md\r\n<!-- <<< canonry <<< -->"),
        ("AGENTS.md", "# Ours\n\n<!-- >>> canonry >>> -->\n# Working here\n\nBuild it.\n\n# Five phases\n"),
        (".gemini/settings.json", "\"fileName\""),
        (".gemini/settings.json", "\"timeout\": 10000"),
        (".gemini/settings.json", "\"skills\""),
        (".claude/settings.json", "\"Bash(ls)\", \"Bash(git status)\""),
        (".claude/settings.json", "\"Read(/**/.env*)\""),
        (".claude/settings.json", "WebFetch(domain:docs.rs)"),
        (".claude/settings.json", "\"Edit(/src/**)\""),
        (".claude/settings.json", "\"Edit(/**/migrations/**)\""),
        (".claude/settings.json", "\"mcp__db__drop\""),
        (".claude/settings.json", "\"defaultMode\": \"default\""),
        (".gemini/settings.json", "\"mcp_db_drop\""),
        (".gemini/settings.json", "\"defaultApprovalMode\": \"default\""),
        (".codex/config.toml", "approval_policy = \"on-request\"\nsandbox_mode = \"read-only\"\n# Mine\n"),
        (".codex/config.toml", "disabled_tools = [\"drop\"]"),
        (".codex/config.toml", "[mcp_servers.db.tools.insert]\napproval_mode = \"prompt\""),
        (".cursor/cli.json", "\"Write(**/migrations/**)\""),
        (".cursor/cli.json", "\"Mcp(db:insert)\""),
        (".antigravity/settings.json", "\"mcp(db/drop)\""),
        (".github/agents/reviewer.agent.md", "description: \"Reviews: all.\""),
        (".claude/settings.json", "canonry hook pre-tool --tool claude"),
        (".gemini/policies/canonry.toml", "commandPrefix = \"git push\"\ndecision = \"ask_user\"\npriority = 200"),
        (".codex/rules/canonry.rules", "prefix_rule(pattern=[\"git\", \"push\", \"--force\"], decision=\"forbidden\")"),
        (".cursor/cli.json", "\"Shell(git:push)\""),
        (".cursor/rules/canonry.mdc", "---\ndescription: Working here\nalwaysApply: true\n---\n\n# Working here"),
        (".cursor/rules/canonry-workflow.mdc", "description: Five phases\nalwaysApply: false"),
        (".agents/rules/canonry-workflow.md", "trigger: model_decision"),
        (".agents/mcp_config.json", "npx"),
        (".claude/agents/reviewer.md", "model: opus"),
        (".gemini/agents/reviewer.md", "---\nname: \"reviewer\"\ndescription: \"Reviews: all.\"\n---\n\nReview it.\n"),
        (".codex/agents/reviewer.toml", "developer_instructions = "),
        (".gemini/commands/git/tag.toml", "Tag {{args}}."),
        (".cursor/commands/git/tag.md", "Tag $ARGUMENTS."),
        (".agents/workflows/git/tag.md", "description: \"Tags a release\""),
        (".cursor/hooks.json", "canonry hook session-start --tool cursor"),
        (".codex/hooks.json", "canonry hook stop --tool codex"),
        (".agents/skills/alpha/agents/openai.yaml", "display_name: \"alpha\""),
    ] {
        assert!(repo.text(path).contains(part), "no `{part}` in {path}:\n{}", repo.text(path));
    }
    for file in [
        ".claude/settings.json",
        ".gemini/settings.json",
        ".cursor/cli.json",
        ".codex/hooks.json",
        ".antigravity/settings.json",
    ] {
        let text = repo.text(file);
        let bare: String =
            text.trim_start_matches('\u{feff}').lines().filter(|line| !line.trim().starts_with("//")).collect();
        let bare = bare.replace("/* y */", "").replace("// last", "");
        serde_json::from_str::<serde_json::Value>(&bare).unwrap_or_else(|e| panic!("{file}: {e}: {text}"));
    }
    repo.sync(&["--check"]).expect(0);
    repo.commit_all("all");
    repo.check(&["--rev", "HEAD"]).expect(0);
    repo.check(&[]).expect(0);
    config(&repo, "  agents: {context: off}\n");
    repo.sync(&[]).expect(0);
    assert_eq!(repo.tree_of(&people), before);
    let lock = repo.text("agent/mirrors.lock");
    assert!(lock.lines().all(|line| line.contains("/skills/") && !line.contains("openai")), "{lock}");
    for gone in
        [".cursor/rules/canonry.mdc", ".claude/agents/reviewer.md", ".codex/hooks.json", ".agents/rules/canonry.md"]
    {
        assert!(!repo.exists(gone), "{gone}");
    }
}

/// Codex runs a command that a rule allows outside of its sandbox.
#[test]
fn no_rule_of_codex_allows_a_command() {
    let repo = with_everything();
    repo.sync(&[]);
    let rules = repo.text(".codex/rules/canonry.rules");
    assert!(!rules.contains("allow") && !rules.contains("\"status\""), "{rules}");
    assert_eq!(rules.matches("decision=\"prompt\"").count(), 1, "{rules}");
    assert_eq!(rules.matches("decision=\"forbidden\"").count(), 1, "{rules}");
    // Without a restriction there is no file.
    repo.write("agent/protocols/permissions.md", "# Permissions\n\n## Always allowed\n\n- `git log`.\n");
    repo.sync(&[]);
    assert!(!repo.exists(".codex/rules/canonry.rules"));
}

#[test]
fn whole_user_files_and_edited_generated_files_are_preserved() {
    let repo = with_everything();
    repo.write(".claude/agents/reviewer.md", "mine\n");
    repo.sync(&[]).expect(5).says(&[".claude/agents/reviewer.md", "agent/agents/reviewer.md"]);
    assert_eq!(repo.text(".claude/agents/reviewer.md"), "mine\n");
    repo.write(".cursor/rules/canonry.mdc", "edited\n");
    repo.write(".cursor/rules/own.mdc", "---\nalwaysApply: true\n---\nmine\n");
    repo.sync(&[]).expect(5).says(&[".cursor/rules/canonry.mdc: edited by hand"]).says_nothing_of(&["own.mdc"]);
    repo.check(&[]).expect(1).says(&["mirror-edited", "mirror-occupied"]);
    repo.sync(&["--force"]).says(&["backed up .claude/agents/reviewer.md", "backed up .cursor/rules/canonry.mdc"]);
    assert!(repo.text(".claude/agents/reviewer.md").contains("Review it."));
    assert_eq!(repo.text(".cursor/rules/own.mdc"), "---\nalwaysApply: true\n---\nmine\n");
}

#[test]
fn a_lock_that_names_other_files_does_not_harm_them() {
    let repo = with_servers();
    repo.sync(&[]).expect(0);
    repo.write("src/main.rs", "fn main() {}\n");
    let id = repo.git(&["hash-object", "src/main.rs"]);
    let lock = repo.text("agent/mirrors.lock");
    repo.write("agent/mirrors.lock", format!("{lock}{id} 100644 src/main.rs\n{id} 100644 .claude/settings.json#/a\n"));
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text("src/main.rs"), "fn main() {}\n");
    assert_eq!(repo.text("agent/mirrors.lock"), lock);
}

#[test]
fn a_context_file_that_links_to_the_map_is_accepted() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/AGENTS.md", "# Working here\n");
    repo.link("CLAUDE.md", "AGENTS.md");
    config(&repo, "  claude: {context: import}\n  agents: {context: map}\n");
    repo.sync(&[]).expect(0);
    assert!(repo.text("CLAUDE.md").contains("Working here"));
    repo.write("agent/canonry.yaml", "files: {claude: {context: copy}, agents: {context: map}}\n");
    repo.sync(&[]).expect(5).says(&["CLAUDE.md", "it is a link to AGENTS.md"]);
}

#[test]
fn content_that_a_tool_cannot_express_is_reported_and_the_file_stays() {
    let repo = with_everything();
    repo.write("agent/mcp.json", SERVERS.replace("${KEY}", "k"));
    repo.sync(&[]).expect(0);
    repo.write("agent/policies/LONG.md", "word ".repeat(3000));
    repo.write("agent/agents/reviewer.md", "no frontmatter\n");
    repo.write("agent/commands/git/tag.md", "Tag $1.\n");
    repo.write("agent/commands/git/TAG2.md", "a\n");
    repo.write("agent/commands/git/tag2.md", "b\n");
    repo.sync(&[]).expect(1).says(&[
        ".agents/rules/canonry-long.md is not written",
        "agent/agents/reviewer.md",
        "does not support `$1`",
        "would also be made from agent/commands/git/tag2.md",
    ]);
    assert!(repo.text(".gemini/agents/reviewer.md").contains("Review it."));
    assert!(repo.text(".gemini/commands/git/tag.toml").contains("{{args}}"));
    assert!(!repo.exists(".claude/commands/git/TAG2.md"));
}

#[test]
fn copied_files_are_adopted_and_generated_ones_are_refused() {
    let repo = with_everything();
    repo.sync(&[]).expect(1);
    let skill = repo.text("agent/skills/alpha/SKILL.md");
    repo.write(".agents/skills/alpha/agents/openai.yaml", "edited: true\n");
    repo.write(".cursor/rules/canonry.mdc", "edited\n");
    for path in [".agents/skills/alpha/agents/openai.yaml", ".agents/skills/alpha", ".cursor/rules/canonry.mdc"] {
        repo.sync(&["--adopt", path]).expect(5).says(&["it is generated from agent/", "which has another form"]);
    }
    repo.sync(&["--adopt", ".mcp.json"]).expect(5).says(&["nothing to adopt"]);
    assert_eq!(repo.text("agent/skills/alpha/SKILL.md"), skill);
    assert!(repo.text("agent/AGENTS.md").contains("Working here"));
    let edited = repo.text(".claude/agents/reviewer.md") + "Mine, too.\n";
    repo.write(".claude/agents/reviewer.md", &edited);
    repo.sync(&["--adopt", ".claude/agents/reviewer.md"]).expect(5);
    assert_eq!(repo.text("agent/agents/reviewer.md"), edited);
    assert!(repo.text(".gemini/agents/reviewer.md").contains("Mine, too."));
    repo.write(".agents/skills/alpha/notes.md", "new\n");
    repo.remove(".agents/skills/alpha/agents");
    repo.sync(&["--adopt", ".agents/skills/alpha/notes.md"]);
    assert_eq!(repo.text("agent/skills/alpha/notes.md"), "new\n");
}
