//! The directories of the tools.

use crate::import::{assert_done, assert_kept, changes, json, left, taken};
use crate::support::repo::{Repo, document};

fn repo() -> Repo {
    let repo = Repo::empty();
    for root in [".claude", ".agents"] {
        repo.write(&format!("{root}/skills/deploy/SKILL.md"), document("deploy") + "Run `scripts/run.sh`.\n");
        repo.write(&format!("{root}/skills/deploy/scripts/run.sh"), "#!/bin/sh\n");
        repo.chmod(&format!("{root}/skills/deploy/scripts/run.sh"), 0o755);
    }
    repo.link(".cursor/skills/deploy", "../../.claude/skills/deploy");
    repo.write(".codex/skills/.system/own/SKILL.md", document("own"));
    repo.write(
        ".claude/agents/planner.md",
        "---\nname: planner\ndescription: Plans.\nmodel: inherit\n---\n\nYou plan.\n",
    );
    repo.write(
        ".codex/agents/planner.toml",
        "name = \"planner\"\ndescription = \"Plans.\"\ndeveloper_instructions = \"\"\"\nYou plan.\n\"\"\"\n",
    );
    repo.write(
        ".codex/agents/tester.toml",
        "name = \"tester\"\ndescription = \"Tests.\"\nsandbox_mode = \"read-only\"\ndeveloper_instructions = \"You test.\"\n",
    );
    repo.write(".claude/commands/git/review.md", "Review $ARGUMENTS\n");
    repo.write(".gemini/commands/plan.toml", "description = \"Plan\"\nprompt = \"Plan {{args}}\"\n");
    repo.write(".gemini/commands/status.toml", "prompt = \"Say !{git status}\"\n");
    repo.write("AGENTS.md", "# The project\n\nBe kind.\n");
    repo.write("CLAUDE.md", "@AGENTS.md\n");
    repo.write("GEMINI.md", "# For Gemini\n");
    repo.write(
        ".cursor/rules/ts.mdc",
        "---\ndescription: TypeScript\nglobs: src/**/*.{ts,tsx}\nalwaysApply: false\n---\n\n# TS\n",
    );
    repo.write(
        ".mcp.json",
        r#"{"mcpServers": {"docs": {"type": "http", "url": "https://docs.example.com/mcp", "headers": {"Authorization": "Bearer ${DOCS}"}}}}"#,
    );
    repo.write(
        ".gemini/settings.json",
        r#"{"mcpServers": {"docs": {"httpUrl": "https://docs.example.com/mcp", "headers": {"Authorization": "Bearer ${DOCS}"}}}, "theme": "x"}"#,
    );
    repo.write(".codex/config.toml", "[mcp_servers.db]\ncommand = \"npx\"\nargs = [\"db\"]\nenv_vars = [\"DB_URL\"]\n");
    repo.write(
        ".claude/settings.json",
        r#"{"permissions": {"allow": ["Bash(git status:*)", "Bash(make)"], "deny": ["Read(./.env*)"]}, "hooks": {"Stop": []}}"#,
    );
    repo
}

#[test]
fn imports_everything_the_canon_can_express() {
    let repo = repo();
    let before = repo.tree();
    let document = json(&repo, &[], 0);
    assert_kept(&before, &repo.tree());
    assert_eq!(document["from"], "tools");
    let want = [
        ".agents/skills/deploy, .claude/skills/deploy -> agent/skills/deploy",
        ".claude/agents/planner.md, .codex/agents/planner.toml -> agent/agents/planner.md",
        ".claude/commands/git/review.md -> agent/commands/git/review.md",
        ".claude/settings.json -> agent/protocols/permissions.md",
        ".codex/agents/tester.toml -> agent/agents/tester.md",
        ".cursor/rules/ts.mdc -> agent/rules/ts.md",
        ".gemini/commands/plan.toml -> agent/commands/plan.md",
        ".gemini/commands/status.toml -> agent/commands/status.md",
        ".mcp.json -> agent/mcp.json",
        "AGENTS.md -> agent/AGENTS.md",
    ];
    assert_eq!(taken(&document), want);
    assert_eq!(
        repo.text("agent/agents/tester.md"),
        "---\ntargets: [codex]\nname: \"tester\"\ndescription: \"Tests.\"\npermissionMode: plan\n---\n\nYou test.\n"
    );
    assert!(changes(&document, "agent/agents/tester.md").contains("`permissionMode: plan`"));
    assert_eq!(
        repo.text("agent/commands/plan.md"),
        "---\ntargets: [gemini]\ndescription: \"Plan\"\n---\n\nPlan $ARGUMENTS\n"
    );
    assert_eq!(
        repo.text("agent/rules/ts.md"),
        "---\ndescription: \"TypeScript\"\nglobs: [\"src/**/*.{ts,tsx}\"]\nalwaysApply: false\n---\n\n# TS\n"
    );
    let servers: serde_json::Value = serde_json::from_str(&repo.text("agent/mcp.json")).unwrap();
    let want = serde_json::json!({"mcpServers": {
        "docs": {"type": "http", "url": "https://docs.example.com/mcp", "headers": {"Authorization": "Bearer ${DOCS}"}},
        "db": {"command": "npx", "args": ["db"], "env": {"DB_URL": "${DB_URL}"}}
    }, "claude": {"mcpServers": {"db": null}}, "gemini": {"mcpServers": {"db": null}}, "codex": {"mcpServers": {"docs": null}}});
    assert_eq!(servers, want);
    repo.assert_copied("deploy", ".claude/skills/deploy");
}

#[test]
fn reports_skipped_items_with_reasons() {
    let document = json(&repo(), &[], 0);
    for (path, words) in [
        (".cursor/skills/deploy", "a link to .claude/skills/deploy"),
        (".codex/skills/.system/own", "hidden"),
        ("CLAUDE.md", "it only leads to AGENTS.md"),
        ("GEMINI.md", "it differs from AGENTS.md"),
        (".claude/settings.json", "`Bash(make)`"),
        (".gemini/settings.json", "does not import these settings: `theme`"),
    ] {
        assert!(left(&document, path).iter().any(|text| text.contains(words)), "{path}: {:?}", left(&document, path));
    }
    assert_eq!(document["left"].as_array().unwrap().len(), 6, "{document:#}");
}

#[test]
fn sync_continues_after_an_import() {
    let repo = repo();
    json(&repo, &[], 0);
    assert_done(&repo, &[]);
    let config = repo.text("agent/canonry.yaml");
    assert!(config.contains("targets: [claude, agents]\n"), "{config}");
    assert!(config.contains("  claude: {permissions: true, mcp: true, subagents: true, commands: true}\n"), "{config}");
    assert!(config.contains("  agents: {context: map}\n"), "{config}");
    repo.canonry(&["sync", "--adopt", "--all"]);
    // Equal files are owned now and follow the canon.
    repo.write("agent/commands/git/review.md", "Review it: $ARGUMENTS\n");
    repo.sync(&[]);
    assert_eq!(repo.text(".claude/commands/git/review.md"), "Review it: $ARGUMENTS\n");
    // Files that sync wrote are not imported.
    let ran = repo.canonry(&["import"]).expect(0);
    ran.says(&["Nothing to import from tools"]);
}

#[test]
fn keeps_differing_servers_and_refuses_those_that_the_canon_lacks() {
    let repo = repo();
    repo.write(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"docs": {"url": "https://other.example.com"}, "new": {"command": "new"}}}"#,
    );
    let document = json(&repo, &[], 0);
    let said = changes(&document, "agent/mcp.json");
    assert!(said.contains("server `docs` differs for cursor, which keeps its own"), "{said}");
    let reasons = |document: &serde_json::Value| -> Vec<String> {
        document["refused"].as_array().unwrap().iter().map(|r| r["reason"].as_str().unwrap().to_owned()).collect()
    };
    let canon = repo.text("agent/mcp.json").replace("\"new\": {", "\"mine\": {").replace("\"db\"", "\"other\"");
    repo.write("agent/mcp.json", &canon);
    let document = json(&repo, &[], 5);
    let text = reasons(&document);
    assert_eq!(text.len(), 2, "{text:#?}");
    assert!(text.contains(&"agent/mcp.json exists without a server `new`: add it by hand".to_owned()), "{text:?}");
    assert_eq!(repo.text("agent/mcp.json"), canon);
}

#[test]
fn skips_unchanged_files_of_trellis() {
    let repo = Repo::empty();
    let own = document("trellis-own");
    let changed = document("changed");
    repo.write(".claude/skills/trellis-own/SKILL.md", &own);
    repo.write(".claude/skills/changed/SKILL.md", &changed);
    repo.write(".claude/commands/mine.md", "Mine.\n");
    let sha = |text: &str| {
        let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha256);
        hasher.update(text.as_bytes());
        hasher.try_finalize().unwrap().to_string()
    };
    let hashes = serde_json::json!({"__version": 2, "hashes": {
        ".claude/skills/trellis-own/SKILL.md": sha(&own),
        ".claude/skills/changed/SKILL.md": sha("as it was"),
    }});
    repo.write(".trellis/.template-hashes.json", hashes.to_string());
    let imported = json(&repo, &["--from", "tools"], 0);
    let want = [".claude/commands/mine.md -> agent/commands/mine.md", ".claude/skills/changed -> agent/skills/changed"];
    assert_eq!(taken(&imported), want);
    assert!(left(&imported, ".trellis/.template-hashes.json")[0].contains("Trellis' own"));
    // A folder with nothing else becomes no target.
    let repo = Repo::empty();
    repo.write(".cursor/skills/trellis-own/SKILL.md", &own);
    repo.write(".agents/skills/mine/SKILL.md", document("mine"));
    let hashes = serde_json::json!({"__version": 2, "hashes": {".cursor/skills/trellis-own/SKILL.md": sha(&own)}});
    repo.write(".trellis/.template-hashes.json", hashes.to_string());
    json(&repo, &["--from", "tools"], 0);
    assert!(repo.text("agent/canonry.yaml").contains("targets: [agents]\n"), "{}", repo.text("agent/canonry.yaml"));
}

/// Gemini's list names the servers that it may use; the others are denied.
#[test]
fn a_list_of_all_that_is_allowed_is_said_to_deny_the_rest() {
    let repo = Repo::empty();
    let settings = r#"{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}, "mcp": {"allowed": ["a", "b"]}}"#;
    repo.write(".gemini/settings.json", settings);
    let document = json(&repo, &["--from", "tools"], 0);
    let said = left(&document, ".gemini/settings.json").join("\n");
    assert!(
        said.contains("denied permissions that the canon cannot express")
            && said.contains("`all but mcp.allowed: a, b`"),
        "{said}"
    );
}

#[test]
fn hooks_and_ignore_files_of_several_tools_become_one() {
    let repo = Repo::empty();
    repo.write(
        ".claude/settings.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./a.sh", "timeout": 5}]}],
            "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./b.sh"}, {"type": "prompt", "prompt": "x"}]}],
            "Notification": [{"matcher": "", "command": "./never-run.sh"}],
            "SessionStart": [{"hooks": [{"type": "command", "command": "canonry hook session-start --tool claude"}]}]}}"#,
    );
    repo.write(
        ".gemini/settings.json",
        r#"{"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "name": "a", "command": "./a.sh", "timeout": 4500}]}]}}"#,
    );
    repo.write(".cursor/hooks.json", r#"{"version": 1, "hooks": {"afterFileEdit": [{"command": "./c.sh"}]}}"#);
    repo.write(".codex/hooks.json", "{");
    repo.write(".cursorignore", "# ours\n*.pem\n");
    repo.write(".geminiignore", "*.pem\n");
    repo.write(".clineignore", "*.key\n");
    let document = json(&repo, &["--from", "tools"], 65);
    assert_eq!(
        repo.text("agent/hooks.yaml"),
        "hooks:\n  pre-tool:\n    - command: \"./b.sh\"\n      matcher: \"Bash\"\n      tools: [claude]\n  stop:\n    - command: \"./a.sh\"\n      timeout: 5\n      tools: [claude, gemini]\n"
    );
    assert_eq!(repo.text("agent/ignore"), "# ours\n*.pem\n");
    assert!(taken(&document).contains(&".cursorignore, .geminiignore -> agent/ignore".to_owned()), "{document:#}");
    for (path, words) in [
        (".claude/settings.json", "`pre-tool` runs no command"),
        (".claude/settings.json", "`notification` runs no command"),
        (".cursor/hooks.json", "`afterFileEdit`"),
        (".codex/hooks.json", "invalid JSON"),
        (".clineignore", "differs from .cursorignore"),
    ] {
        assert!(left(&document, path).iter().any(|text| text.contains(words)), "{path}: {:?}", left(&document, path));
    }
}

/// The file with the instructions counts, not one that only leads to it.
#[test]
fn a_pointer_to_another_context_file_is_not_the_canon() {
    let repo = Repo::empty();
    repo.write("AGENTS.md", "# Agents\n\nPlease read ./CLAUDE.md\n");
    repo.write("CLAUDE.md", "# The project\n\nRun `make test`.\n");
    let document = json(&repo, &["--from", "tools"], 0);
    assert_eq!(taken(&document), ["CLAUDE.md -> agent/AGENTS.md"]);
    assert_eq!(left(&document, "AGENTS.md"), ["it only leads to CLAUDE.md, which is imported"]);
}

#[test]
fn skills_in_folders_of_no_tool_are_imported() {
    let repo = Repo::empty();
    repo.write(".skills/a/SKILL.md", document("a"));
    repo.write(".agent/skills/b/SKILL.md", document("b"));
    let said = "note      `canonry import --from tools` takes the skills in .skills, .agent/skills into the canon\n";
    repo.canonry(&["init", "--dry-run"]).expect(0).says(&[said]);
    let document = json(&repo, &["--from", "tools"], 0);
    assert_eq!(taken(&document), [".agent/skills/b -> agent/skills/b", ".skills/a -> agent/skills/a"]);
    // The targets are those of `init`.
    assert!(repo.text("agent/canonry.yaml").contains("targets: [claude, agents]\n"));
}

const OTHERS: [(&str, &str); 4] = [
    (
        ".claude/settings.json",
        r#"{"permissions": {"allow": ["Bash(git status *)", "Edit(/src/**)"], "ask": ["mcp__db__insert"], "deny": ["Read(./.env)"], "defaultMode": "acceptEdits"}}"#,
    ),
    (
        ".cursor/cli.json",
        r#"{"permissions": {"allow": ["Shell(make)"], "deny": ["Write(migrations/**)", "WebFetch(*)"]}}"#,
    ),
    (".codex/rules/team.rules", "# ours\nprefix_rule(pattern=[\"git\", \"push\"], decision=\"prompt\")\n"),
    (".gemini/settings.json", r#"{"mcpServers": {"db": {"command": "db"}}, "tools": {"exclude": ["mcp_db_drop"]}}"#),
];

#[test]
fn permissions_of_several_tools_allow_nothing_more() {
    let repo = Repo::empty();
    OTHERS.iter().for_each(|(path, text)| repo.write(path, text));
    let document = json(&repo, &["--from", "tools"], 0);
    let page = repo.text("agent/protocols/permissions.md");
    for line in [
        "- `git status`",
        "- Edit: `src/**`",
        "- MCP: `db/insert`",
        "- `git push`",
        "- Read: `.env`",
        "- Edit: `migrations/**`",
        "- MCP: `db/drop`",
    ] {
        assert!(page.contains(&format!("{line}\n")), "no {line} in {page}");
    }
    assert!(!page.contains("make") && !page.contains("acceptEdits"), "{page}");
    assert!(left(&document, ".cursor/cli.json").iter().any(|text| text.contains("only Cursor has")), "{document:#}");
    // A lost denial protects less, a lost allowance only asks more often.
    let lost = |path: &str| left(&document, path).join("\n");
    let settings = lost(".claude/settings.json");
    assert!(
        settings
            .contains("settings of permissions that the canon cannot express: `permissions.defaultMode: acceptEdits`"),
        "{settings}"
    );
    let cursor = lost(".cursor/cli.json");
    assert!(
        cursor.contains(
            "denied permissions that the canon cannot express, so that other tools do not deny them: `WebFetch(*)`"
        ),
        "{cursor}"
    );
    let config = repo.text("agent/canonry.yaml");
    for line in [
        "claude: {permissions: true}",
        "cursor: {permissions: true}",
        "codex: {permissions: true}",
        "accept_omitted: [gemini/permissions/*, codex/permissions/*]",
    ] {
        assert!(config.contains(line), "{config}");
    }
    assert!(document["next"].to_string().contains("the settings of gemini, codex cannot express"), "{document:#}");
}

/// In OpenCode the last rule decides, in the canon the strictest one.
#[test]
fn permissions_of_opencode_allow_nothing_more() {
    let repo = Repo::empty();
    let settings = r#"{
  // ours
  "permission": {
    "edit": {"*": "allow", "dist/*": "deny", "dist/notes.md": "allow"},
    "bash": {"*": "ask", "make *": "allow", "git *": "allow", "git push *": "deny", "curl*": "deny"},
    "webfetch": "ask",
    "task": "deny"
  }
}
"#;
    repo.write("opencode.json", settings);
    let document = json(&repo, &[], 0);
    let page = repo.text("agent/protocols/permissions.md");
    for line in ["- `make`", "- `git`", "- Edit: `**`", "- `git push`", "- `curl`", "- Edit: `dist/**`"] {
        assert!(page.contains(&format!("{line}\n")), "no {line} in {page}");
    }
    assert!(!page.contains("notes.md"), "{page}");
    assert!(changes(&document, "agent/protocols/permissions.md").contains("these as whole words: `bash: curl*`"));
    let lost = left(&document, "opencode.json").join("\n");
    assert!(
        lost.contains("denied permissions that the canon cannot express, so that other tools do not deny them: `task`")
    );
    assert!(lost.contains("so that agents ask more often: `edit: dist/notes.md`"), "{lost}");
    // The settings stay, and the next step says how canonry writes them.
    repo.sync(&[]).expect(0);
    assert_eq!(repo.text("opencode.json"), settings);
    assert!(document["next"].to_string().contains("remove it there and set `files: {opencode: {permissions: true}}`"));
    json(&repo, &[], 0);
    repo.sync(&["--check"]).expect(0);
    repo.write("opencode.json", "{}\n");
    repo.write("agent/canonry.yaml", "targets: [opencode]\nfiles: {opencode: {permissions: true}}\n");
    repo.sync(&[]).expect(0);
    let written = repo.text("opencode.json");
    assert!(written.contains("\"git push *\": \"deny\"") && written.contains("\"dist/*\": \"deny\""), "{written}");
}

/// `.mdc` files have Cursor's keys, also in a folder from which a script links them.
#[test]
fn rules_of_cursor_in_a_shared_folder_keep_when_they_apply() {
    let repo = Repo::empty();
    repo.write(".agents/rules/README.md", "# Index of the rules\n");
    for name in ["a", "b", "c", "d", "e"] {
        let text = format!("---\ndescription: {name}\nalwaysApply: true\n---\n# {name}\n");
        repo.write(&format!(".agents/rules/{name}.mdc"), text);
    }
    let ran = repo.canonry(&["import", "--dry-run"]).expect(0);
    ran.says(&[
        "to import .agents/rules: a.mdc, b.mdc, c.mdc, d.mdc and 1 more -> agent/rules\n          wrote its scope",
        "skipped   .agents/rules/README.md: it describes the rules, and does not say when it applies\n",
    ]);
    let document = json(&repo, &[], 0);
    assert_eq!(taken(&document).len(), 5, "{document:#}");
    assert!(repo.text("agent/rules/a.md").contains("alwaysApply: true\n"), "{}", repo.text("agent/rules/a.md"));
    let config = repo.text("agent/canonry.yaml");
    assert!(config.contains("cursor: {rules: true}") && !config.contains("antigravity"), "{config}");
}

/// Claude Code loads each Markdown file of its rules.
#[test]
fn a_readme_that_a_tool_loads_is_a_rule() {
    let repo = Repo::empty();
    repo.write(".claude/rules/README.md", "# Be brief\n");
    assert_eq!(taken(&json(&repo, &[], 0)), [".claude/rules/README.md -> agent/rules/README.md"]);
}

#[test]
fn files_that_a_tool_does_not_read_are_skipped_with_the_reason() {
    let repo = Repo::empty();
    repo.write(".cursor/commands/build.mdc", "Build it.\n");
    repo.write(".cursor/commands/test.md", "Test it.\n");
    repo.write(".gemini/commands/notes.txt", "n\n");
    let document = json(&repo, &[], 0);
    assert_eq!(left(&document, ".cursor/commands/build.mdc"), ["Cursor reads only `.md` files there"]);
    assert_eq!(left(&document, ".gemini/commands/notes.txt"), ["Gemini CLI reads only `.toml` files there"]);
}

/// An editor finds the schema by the first line of the config, as after `init`.
#[test]
fn the_config_names_its_schema() {
    let repo = Repo::empty();
    repo.write(".mcp.json", r#"{"mcpServers": {"db": {"command": "db"}}}"#);
    json(&repo, &[], 0);
    let config = repo.text("agent/canonry.yaml");
    let other = Repo::empty();
    other.canonry(&["init"]).expect(0);
    assert_eq!(config.lines().next(), other.text("agent/canonry.yaml").lines().next());
    repo.canonry(&["init", "--with", "memory"]).expect(0);
    assert_eq!(repo.text("agent/canonry.yaml"), config);
}
