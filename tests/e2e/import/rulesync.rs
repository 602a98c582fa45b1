//! `.rulesync/`

use crate::import::{assert_done, assert_kept, changes, json, left, taken};
use crate::support::repo::Repo;

fn repo() -> Repo {
    let repo = Repo::empty();
    repo.write(
        "rulesync.jsonc",
        "{\n  // For whom.\n  \"targets\": [\"codexcli\", \"claudecode\", \"opencode\"],\n  \"features\": [\"*\"],\n}\n",
    );
    repo.write(
        ".rulesync/rules/overview.md",
        "---\nroot: true\ntargets: [\"*\"]\ndescription: \"All\"\nglobs: [\"**/*\"]\n---\n\n# The project\n\nBe kind.\n",
    );
    repo.write(
        ".rulesync/rules/lang/rust.md",
        "---\nroot: false\ntargets: [\"*\"]\ndescription: How we write Rust\nglobs: [\"src/**/*.rs\", \"**/*\"]\n---\n\n# Rust\n",
    );
    repo.write(".rulesync/rules/pilot.md", "---\nroot: false\ntargets: [copilot]\n---\nOnly there.\n");
    repo.write(".rulesync/rules/mine.md", "---\nlocalRoot: true\n---\nMine.\n");
    repo.write(
        ".rulesync/rules/api.md",
        "---\nroot: false\nagentsmd:\n  subprojectPath: services/api\n---\nThe API.\n",
    );
    repo.write(
        ".rulesync/subagents/planner.md",
        "---\nname: planner\ntargets: [\"*\"]\ndescription: >-\n  Plans\n  work.\nclaudecode:\n  model: inherit\n---\n\nYou plan.\n",
    );
    repo.write(
        ".rulesync/commands/git/review.md",
        "---\ndescription: 'Review'\ntargets: [\"*\"]\n---\nReview $ARGUMENTS\n",
    );
    repo.write(
        ".rulesync/skills/Deploy_It/SKILL.md",
        "---\nname: deploy_it\ndescription: Deploys. Use when asked to deploy.\ntargets: [claudecode]\nclaudecode:\n  model: x\n---\n\nRun `scripts/run.sh`.",
    );
    repo.write(".rulesync/skills/Deploy_It/scripts/run.sh", "#!/bin/sh\necho done\n");
    repo.chmod(".rulesync/skills/Deploy_It/scripts/run.sh", 0o755);
    repo.write(
        ".rulesync/skills/.curated/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads PDF files. Use for each.\n---\n",
    );
    repo.write(
        ".rulesync/mcp.jsonc",
        r#"{
  // Servers.
  "mcpServers": {
    "docs": {"type": "http", "url": "https://docs.example.com/mcp", "env": {}},
    "db": {"type": "stdio", "command": "npx", "args": ["-y", "db"], "env": {"DB_TOKEN": "hunter2", "MODE": "fast"}, "description": "The DB"},
    "old": {"command": "x", "disabled": true}
  }
}
"#,
    );
    repo.write(
        ".rulesync/permissions.json",
        r#"{"permission": {"bash": {"git status": "allow", "ls *": "allow", "rm -rf *": "deny", "*": "ask"}, "edit": {"src/**": "allow"}, "read": {".env": "deny"}}}"#,
    );
    repo.write(".rulesync/hooks.json", r#"{"version": 1, "hooks": {"stop": [{"command": "./a.sh", "timeout": 5}]}, "claudecode": {"hooks": {"preToolUse": [{"matcher": "Bash", "command": "./b.sh"}]}}}"#);
    repo.write("a.sh", "#!/bin/sh\n");
    repo.write("b.sh", "#!/bin/sh\n");
    ["a.sh", "b.sh"].into_iter().for_each(|script| repo.chmod(script, 0o755));
    repo.write(".rulesync/.aiignore", ".env\n");
    repo
}

#[test]
fn imports_everything_the_canon_can_express() {
    let repo = repo();
    let before = repo.tree();
    let document = json(&repo, &[], 0);
    assert_kept(&before, &repo.tree());
    assert_eq!(document["from"], "rulesync");
    let want = [
        ".rulesync/.aiignore -> agent/ignore",
        ".rulesync/commands/git/review.md -> agent/commands/git/review.md",
        ".rulesync/hooks.json -> agent/hooks.yaml",
        ".rulesync/mcp.jsonc -> agent/mcp.json",
        ".rulesync/permissions.json -> agent/protocols/permissions.md",
        ".rulesync/rules/api.md -> agent/rules/api.md",
        ".rulesync/rules/lang/rust.md -> agent/rules/lang/rust.md",
        ".rulesync/rules/overview.md -> agent/AGENTS.md",
        ".rulesync/rules/pilot.md -> agent/rules/pilot.md",
        ".rulesync/skills/.curated/pdf -> agent/skills/pdf",
        ".rulesync/skills/Deploy_It -> agent/skills/deploy-it",
        ".rulesync/subagents/planner.md -> agent/agents/planner.md",
    ];
    assert_eq!(taken(&document), want);
    assert_eq!(repo.text("agent/AGENTS.md"), "# The project\n\nBe kind.\n");
    assert_eq!(
        repo.text("agent/rules/lang/rust.md"),
        "---\ndescription: \"How we write Rust\"\nglobs: [\"src/**/*.rs\"]\nalwaysApply: false\n---\n\n# Rust\n"
    );
    assert_eq!(repo.text("agent/ignore"), ".env\n");
    assert_eq!(
        repo.text("agent/hooks.yaml"),
        "hooks:\n  pre-tool:\n    - command: \"./b.sh\"\n      matcher: \"Bash\"\n      tools: [claude]\n  stop:\n    - command: \"./a.sh\"\n      timeout: 5\n"
    );
    assert_eq!(
        repo.text("agent/rules/api.md"),
        "---\nglobs: [\"services/api/**\"]\nalwaysApply: false\n---\n\nThe API.\n"
    );
    assert_eq!(
        repo.text("agent/agents/planner.md"),
        "---\nname: planner\ndescription: >-\n  Plans\n  work.\nmodel: inherit\n---\n\nYou plan.\n"
    );
    assert_eq!(repo.text("agent/commands/git/review.md"), "---\ndescription: 'Review'\n---\nReview $ARGUMENTS\n");
    assert_eq!(
        repo.text("agent/skills/deploy-it/SKILL.md"),
        "---\nname: deploy-it\ndescription: Deploys. Use when asked to deploy.\n---\n\nRun `scripts/run.sh`."
    );
    assert_eq!(repo.read("agent/skills/pdf/SKILL.md"), repo.read(".rulesync/skills/.curated/pdf/SKILL.md"));
    let tree = repo.tree();
    assert_eq!(tree["agent/skills/deploy-it/scripts/run.sh"], tree[".rulesync/skills/Deploy_It/scripts/run.sh"]);
    let text = changes(&document, "agent/skills/deploy-it");
    assert!(["`deploy-it`", "removed `targets`, `claudecode`"].iter().all(|words| text.contains(words)), "{text}");
}

#[test]
fn reports_skipped_items_with_reasons() {
    let document = json(&repo(), &[], 0);
    for (path, words) in
        [(".rulesync/rules/mine.md", "personal file"), (".rulesync/permissions.json", "`bash: git status: allow`")]
    {
        let text = left(&document, path);
        assert!(text.len() == 1 && text[0].contains(words), "{path}: {text:?}");
    }
    assert_eq!(document["left"].as_array().unwrap().len(), 2, "{document:#}");
}

#[test]
fn imports_no_secret() {
    let repo = repo();
    let document = json(&repo, &[], 0);
    let servers: serde_json::Value = serde_json::from_str(&repo.text("agent/mcp.json")).unwrap();
    assert_eq!(
        servers,
        serde_json::json!({"mcpServers": {
            "docs": {"type": "http", "url": "https://docs.example.com/mcp"},
            "db": {"command": "npx", "args": ["-y", "db"], "env": {"DB_TOKEN": "${DB_TOKEN}", "MODE": "fast"}},
            "old": {"command": "x", "disabled": true}
        }})
    );
    let text = changes(&document, "agent/mcp.json");
    assert!(text.contains("env.DB_TOKEN") && text.contains("removed `description`"), "{text}");
    assert!(!document.to_string().contains("hunter2"));
}

#[test]
fn imports_only_equivalent_permissions() {
    let repo = repo();
    json(&repo, &[], 0);
    let page = repo.text("agent/protocols/permissions.md");
    for line in ["- `ls`\n", "- `rm -rf`\n", "- Read: `.env`\n", "- Edit: `src/**`\n"] {
        assert!(page.contains(line), "{page}");
    }
    assert!(!page.contains("git status"), "only the exact command is allowed, not longer ones: {page}");
    // The tools get exactly these permissions.
    repo.sync(&[]).expect(0);
    let settings: serde_json::Value = serde_json::from_str(&repo.text(".claude/settings.json")).unwrap();
    assert_eq!(settings["permissions"]["allow"], serde_json::json!(["Bash(ls)", "Bash(ls *)", "Edit(/src/**)"]));
}

#[test]
fn canon_has_no_findings_and_reaches_the_same_tools() {
    let repo = repo();
    let document = json(&repo, &[], 0);
    let next = document["next"].to_string();
    assert!(next.contains("canonry writes no commands for codex: what they have stays as it is"), "{next}");
    assert_done(&repo, &[]);
    let config = repo.text("agent/canonry.yaml");
    for line in [
        "targets: [claude, agents]\n",
        "  agents: {context: map, rules: true}\n",
        "  claude: {context: import, permissions: true, mcp: true, subagents: true, commands: true}\n",
        "  codex: {permissions: true, mcp: true, subagents: true}\n",
        "  deploy-it: {targets: [claude]}\n",
    ] {
        assert!(config.contains(line), "{config}");
    }
    repo.sync(&[]).expect(0);
    // What was imported stays as it is.
    // What the canon says for one tool reaches another one.
    let known = [
        "GitHub Copilot: `skills.NAME.targets` does not hold (deploy-it;",
        "Checked 2 skills and 23 other files: 2 infos.",
    ];
    repo.check(&["--exclude", ".rulesync"]).expect(0).says(&known);
    for path in ["AGENTS.md", ".mcp.json", ".claude/skills/deploy-it/SKILL.md", ".codex/config.toml"] {
        assert!(repo.exists(path), "{path}");
    }
    assert!(!repo.exists(".agents/skills/deploy-it"), "the rule applies to Claude Code only");
    assert_done(&repo, &["--from", "rulesync"]);
}

#[test]
fn reports_generated_files_and_ignore_patterns() {
    let repo = repo();
    repo.write("CLAUDE.md", "# The project\n");
    repo.write(".gitignore", "# Generated by Rulesync\n.claude/skills/\nAGENTS.md\n");
    let ran = repo.canonry(&["import"]).expect(0);
    ran.says(&[
        "git ignored agent/AGENTS.md: agent/.gitignore makes git take them",
        "rulesync generated from CLAUDE.md",
        "lines from .gitignore",
        "rulesync generate",
    ]);
}

#[test]
fn reports_unreadable_files_and_imports_the_rest() {
    let repo = repo();
    repo.write(".rulesync/mcp.jsonc", "{\n  \"mcpServers\": {\n    oops\n");
    repo.write(".rulesync/subagents/planner.md", "---\nname: : :\n---\n");
    repo.write(".rulesync/commands/latin.md", b"caf\xe9\n");
    let document = json(&repo, &[], 65);
    for (path, words) in [
        (".rulesync/mcp.jsonc", "line 3: "),
        (".rulesync/subagents/planner.md", "line 2: the frontmatter is not valid YAML"),
        (".rulesync/commands/latin.md", "line 1: it is not UTF-8"),
    ] {
        let text = left(&document, path);
        assert!(text.len() == 1 && text[0].contains(words), "{path}: {text:?}");
    }
    assert!(repo.exists("agent/AGENTS.md") && !repo.exists("agent/mcp.json"));
}

#[test]
fn supported_tools_and_events_are_not_called_unsupported() {
    let repo = Repo::empty();
    repo.write(
        "rulesync.jsonc",
        r#"{"targets": ["claudecode", "copilot", "kiro", "opencode", "qwencode", "junie", "replit"]}"#,
    );
    repo.write(".rulesync/rules/overview.md", "---\nroot: true\n---\nBe kind.\n");
    repo.write(".rulesync/rules/pilot.md", "---\ntargets: [copilot]\n---\nOnly there.\n");
    repo.write(
        ".rulesync/hooks.json",
        r#"{"hooks": {"notification": [{"command": "echo hi"}], "worktreeCreate": [{"command": "echo no"}]}, "zed": {"hooks": {}}}"#,
    );
    repo.write(".rulesync/mcp.json", r#"{"mcpServers": {}, "opencode": {"mcpServers": {"db": {"command": "npx"}}}}"#);
    let document = json(&repo, &[], 0);
    let left = document["left"].to_string();
    for known in ["copilot", "kiro", "qwencode", "junie", "notification", "does not support `opencode`"] {
        assert!(!left.contains(known), "{known}: {left}");
    }
    for unknown in ["canonry does not support `replit`", "`worktreeCreate`", "writes no hooks for this tool"] {
        assert!(left.contains(unknown), "{unknown}: {left}");
    }
    let config = repo.text("agent/canonry.yaml");
    for line in [
        "targets: [claude, agents",
        "  copilot: {mcp: true, rules: true}\n",
        "  opencode: {mcp: true}\n",
        "  kiro: {mcp: true}\n",
        "  junie: {context: true, mcp: true}\n",
    ] {
        assert!(config.contains(line), "{line}: {config}");
    }
    assert!(repo.text("agent/hooks.yaml").contains("notification:"));
    repo.sync(&[]).expect(0);
    assert_eq!(repo.tree_of(&[".github"]).keys().filter(|path| path.contains("pilot")).count(), 1);
}

#[test]
fn hooks_for_one_tool_are_written_for_it() {
    let repo = Repo::empty();
    repo.write(
        ".rulesync/hooks.json",
        r#"{"hooks": {}, "factorydroid": {"hooks": {"sessionStart": [{"command": "echo hi"}]}}}"#,
    );
    json(&repo, &[], 0);
    assert!(repo.text("agent/hooks.yaml").contains("tools: [factory]"));
    repo.write("agent/canonry.yaml", "targets: [claude]\nfiles: {factory: {team_hooks: true}}\n");
    repo.sync(&[]).expect(0);
    assert!(repo.text(".factory/settings.json").contains("echo hi"));
    repo.check(&[]).expect(0);
}
