//! Properties that an import must not change: hosts, servers of one tool, switches, the scope of rules.

use crate::import::{assert_done, changes, json, left};
use crate::support::repo::Repo;
use serde_json::{Value, json};

fn rulesync() -> Repo {
    let repo = Repo::empty();
    repo.write("rulesync.jsonc", "{\"targets\": [\"claudecode\", \"cursor\", \"codexcli\"]}\n");
    repo.write(".rulesync/rules/overview.md", "---\nroot: true\n---\n# The project\n");
    repo
}

#[test]
fn permissions_without_hosts_restrict_no_host() {
    let repo = rulesync();
    repo.write(".rulesync/permissions.jsonc", r#"{"permission": {"read": {".env": "deny"}}}"#);
    json(&repo, &[], 0);
    assert!(!repo.text("agent/protocols/permissions.md").to_lowercase().contains("domain"));
    repo.sync(&[]).expect(0);
    repo.check(&[]).expect(0).says(&["no findings"]);
    let clone = ["protocol", "explain", "git clone https://git.example.com/a.git"];
    repo.canonry(&clone).says_nothing_of(&["Approved domains"]);
}

#[test]
fn approved_hosts_stay_approved() {
    for (rules, is_noted) in [
        (json!({"docs.rs": "allow"}), true),
        (json!({"docs.rs": "allow", "*": "ask"}), true),
        (json!({"docs.rs": "allow", "*": "deny"}), false),
    ] {
        let repo = rulesync();
        repo.write(".rulesync/permissions.jsonc", json!({"permission": {"webfetch": rules}}).to_string());
        let document = json(&repo, &[], 0);
        assert!(repo.text("agent/protocols/permissions.md").contains("## Approved domains\n\n- docs.rs\n"));
        let noted = changes(&document, "agent/protocols/permissions.md").contains("lists all hosts");
        assert_eq!(noted, is_noted, "{rules}");
        assert_eq!(left(&document, ".rulesync/permissions.jsonc"), Vec::<&str>::new(), "{rules}");
        repo.sync(&[]).expect(0);
        assert!(repo.text(".claude/settings.json").contains("WebFetch(domain:docs.rs)"));
    }
}

#[test]
fn servers_of_one_tool_stay_with_it() {
    let repo = rulesync();
    repo.write(
        ".rulesync/mcp.jsonc",
        r#"{"mcpServers": {"docs": {"command": "docs"}, "old": {"command": "old", "enabled": false},
                           "narrow": {"command": "narrow", "targets": ["cursor"]}},
            "claudecode": {"mcpServers": {"c": {"command": "c"}, "docs": null}},
            "zed": {"mcpServers": {"z": {"command": "z"}}}}"#,
    );
    let document = json(&repo, &[], 0);
    let written: Value = serde_json::from_str(&repo.text("agent/mcp.json")).unwrap();
    let want = json!({
        "mcpServers": {"docs": {"command": "docs"}, "old": {"command": "old", "disabled": true}},
        "claude": {"mcpServers": {"c": {"command": "c"}, "docs": null}},
        "cursor": {"mcpServers": {"narrow": {"command": "narrow"}}},
        "zed": {"mcpServers": {"z": {"command": "z"}}}
    });
    assert_eq!(written, want);
    assert!(left(&document, ".rulesync/mcp.jsonc").is_empty());
    assert!(repo.text("agent/canonry.yaml").contains("  zed: {mcp: true}\n"));
    assert_done(&repo, &[]);
    repo.sync(&[]).expect(0);
    let servers = |file: &str| serde_json::from_str::<Value>(&repo.text(file)).unwrap()["mcpServers"].clone();
    assert_eq!(servers(".mcp.json"), json!({"c": {"command": "c"}}));
    assert_eq!(servers(".cursor/mcp.json"), json!({"docs": {"command": "docs"}, "narrow": {"command": "narrow"}}));
    let codex = repo.text(".codex/config.toml");
    assert!(codex.contains("[mcp_servers.docs]") && !codex.contains("mcp_servers.c]"), "{codex}");
}

#[test]
fn switches_of_ruler_survive() {
    let repo = Repo::empty();
    repo.write(".ruler/AGENTS.md", "# The project\n");
    repo.write(
        ".ruler/ruler.toml",
        "default_agents = [\"claude\", \"codex\", \"cursor\"]\n[mcp_servers.docs]\ncommand = \"docs\"\n[agents.codex.mcp]\nenabled = false\n\
         [agents.cursor.mcp_servers.own]\ncommand = \"own\"\n",
    );
    json(&repo, &[], 0);
    let config = repo.text("agent/canonry.yaml");
    assert!(
        config.contains("  claude: {context: import, mcp: true}\n") && config.contains("  cursor: {mcp: true}\n"),
        "{config}"
    );
    assert!(!config.contains("codex: {"), "{config}");
    repo.sync(&[]).expect(0);
    assert!(!repo.exists(".codex/config.toml"));
    assert!(repo.text(".cursor/mcp.json").contains("own") && !repo.text(".mcp.json").contains("own"));
    // Off for all but one.
    let repo = Repo::empty();
    repo.write(
        ".ruler/ruler.toml",
        "[mcp]\nenabled = false\n[mcp_servers.docs]\ncommand = \"docs\"\n[agents.claude.mcp]\nenabled = true\n",
    );
    json(&repo, &[], 0);
    let config = repo.text("agent/canonry.yaml");
    assert!(config.contains("  claude: {mcp: true}\n") && config.matches("mcp").count() == 1, "{config}");
}

#[test]
fn rules_of_cursor_survive_a_round_trip() {
    let repo = Repo::empty();
    let rules = [
        ("always", "---\nalwaysApply: true\n---\n\n# Always\n"),
        (
            "files",
            "---\ndescription: Use it: always\nglobs: src/**/*.{ts,tsx},*.js\nalwaysApply: false\n---\n\n# Files\n",
        ),
        ("asked", "---\ndescription: When asked\nalwaysApply: false\n---\n\n# Asked\n"),
        ("manual", "---\nalwaysApply: false\n---\n\n# Manual\n"),
    ];
    for (name, text) in rules {
        repo.write(&format!(".cursor/rules/{name}.mdc"), text);
    }
    repo.write("AGENTS.md", "# The project\n");
    json(&repo, &[], 0);
    assert_done(&repo, &[]);
    repo.write("agent/canonry.yaml", "targets: [claude]\nfiles: {cursor: {rules: true}}\n");
    repo.sync(&[]).expect(0);
    for (name, text) in rules {
        assert_eq!(repo.text(&format!(".cursor/rules/{name}.mdc")), text);
    }
    repo.check(&[]).expect(0);
}

#[test]
fn rules_of_claude_and_antigravity_keep_their_scope() {
    let repo = Repo::empty();
    repo.write(".claude/rules/a.md", "---\npaths:\n  - \"src/**\"\n---\n\n# A\n");
    repo.write(".claude/rules/b.md", "# B\n");
    repo.write(".agents/rules/c.md", "---\ntrigger: glob\nglobs: \"*.py\"\n---\n\n# C\n");
    repo.write(".agents/rules/d.md", "---\ntrigger: manual\n---\n\n# D\n");
    json(&repo, &[], 0);
    for (name, head) in [
        ("a", "targets: [claude]\nglobs: [\"src/**\"]\nalwaysApply: false\n"),
        ("b", "targets: [claude]\nalwaysApply: true\n"),
        ("c", "targets: [antigravity]\nglobs: [\"*.py\"]\nalwaysApply: false\n"),
        ("d", "targets: [antigravity]\nalwaysApply: false\n"),
    ] {
        let title = name.to_uppercase();
        assert_eq!(repo.text(&format!("agent/rules/{name}.md")), format!("---\n{head}---\n\n# {title}\n"));
    }
}

#[test]
fn features_that_rulesync_does_not_generate_stay_off() {
    for (config, claude, cursor) in [
        (json!({"targets": ["claudecode", "cursor"], "features": ["rules", "mcp"]}), "mcp: true}", "mcp: true}"),
        (
            json!({"targets": {"claudecode": ["rules", "commands"], "cursor": {"mcp": true, "commands": false}}}),
            "commands: true}",
            "mcp: true}",
        ),
        (
            json!({"targets": ["claudecode", "cursor"], "features": {"claudecode": ["*"], "cursor": ["commands"]}}),
            "mcp: true, commands: true}",
            "commands: true}",
        ),
    ] {
        let repo = rulesync();
        repo.write("rulesync.jsonc", config.to_string());
        repo.write(".rulesync/mcp.json", r#"{"mcpServers": {"docs": {"command": "docs"}}}"#);
        repo.write(".rulesync/commands/c.md", "Do it.\n");
        json(&repo, &[], 0);
        let text = repo.text("agent/canonry.yaml");
        assert!(text.contains(&format!("  claude: {{context: import, {claude}\n")), "{config}: {text}");
        assert!(text.contains(&format!("  cursor: {{{cursor}\n")), "{config}: {text}");
    }
}

/// Each imported rule is read by a tool, or the import says that none does.
#[test]
fn every_rule_reaches_a_tool() {
    let repo = Repo::empty();
    repo.write(".ruler/style.md", "# Style\n\nUse tabs.\n");
    repo.write(".ruler/ruler.toml", "default_agents = [\"claude\", \"codex\"]\n");
    let document = json(&repo, &[], 0);
    assert_eq!(changes(&document, "agent/AGENTS.md"), "a title alone, so that the tools read the rules through it");
    repo.sync(&[]).expect(0);
    assert!(repo.text("AGENTS.md").contains("Use tabs."));
    repo.check(&[]).expect(0).says(&["no findings"]);
    assert_done(&repo, &[]);

    let repo = Repo::empty();
    repo.write("rulesync.jsonc", "{\"targets\": [\"claudecode\", \"cursor\", \"codexcli\"]}\n");
    repo.write(".rulesync/rules/style.md", "---\ntargets: [\"*\"]\n---\n# Style\n");
    repo.write(".rulesync/rules/claude.md", "---\ntargets: [claudecode]\nglobs: [\"src/**\"]\n---\n# For Claude\n");
    repo.write(".rulesync/rules/both.md", "---\ntargets: [cursor, codexcli]\n---\n# For Cursor\n");
    let document = json(&repo, &[], 0);
    let said = changes(&document, "agent/rules/both.md");
    assert!(said.contains("`codex` has no folder of rules and does not get it: remove `targets`"), "{said}");
    repo.sync(&[]).expect(0);
    assert!(repo.text("AGENTS.md").contains("# Style") && !repo.text("AGENTS.md").contains("# For"));
    assert!(repo.text(".claude/rules/claude.md").contains("# For Claude"));
    assert!(repo.text(".cursor/rules/both.mdc").contains("# For Cursor"));
    assert!(!repo.exists(".claude/rules/both.md") && !repo.exists(".cursor/rules/claude.mdc"));
}

#[test]
fn what_one_tool_has_for_itself_widens_nothing() {
    let repo = rulesync();
    repo.write(
        ".rulesync/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: Deploys. Use when asked to deploy.\nclaudecode:\n  disable-model-invocation: true\n  allowed-tools: [Read]\n---\n# Deploy\n",
    );
    repo.write(".rulesync/rules/ui.md", "---\nglobs: [\"src/**\"]\ncursor:\n  globs: [\"src/ui/**\"]\n---\n# UI\n");
    repo.write(".rulesync/rules/all.md", "---\nglobs: [\"src/**\"]\ncursor:\n  alwaysApply: true\n---\n# All\n");
    repo.write(".rulesync/rules/lib.md", "---\ntargets: [\"*\"]\ncursor:\n  globs: [\"lib/**\"]\n---\n# Lib\n");
    let document = json(&repo, &[], 0);
    let skill = repo.text("agent/skills/deploy/SKILL.md");
    assert!(skill.contains("disable-model-invocation: true\n") && !skill.contains("allowed-tools"), "{skill}");
    let said = changes(&document, "agent/skills/deploy");
    for words in
        ["moved `disable-model-invocation` of `claudecode` to the top level", "lost `claudecode.allowed-tools`"]
    {
        assert!(said.contains(words), "{said}");
    }
    for name in ["ui", "all"] {
        let rule = repo.text(&format!("agent/rules/{name}.md"));
        assert!(rule.starts_with("---\nglobs: [\"src/**\"]\nalwaysApply: false\n---\n"), "{rule}");
    }
    assert!(changes(&document, "agent/rules/ui.md").contains("lost `globs` for Cursor alone"));
    assert!(changes(&document, "agent/rules/all.md").contains("lost `alwaysApply` for Cursor alone"));
    assert!(repo.text("agent/rules/lib.md").contains("globs: [\"lib/**\"]\n"));
    assert!(changes(&document, "agent/rules/lib.md").contains("its `globs` for Cursor is for every tool now"));
    repo.sync(&[]).expect(0);
    repo.check(&["--exclude", ".rulesync"]).expect(0).says(&["no findings"]);
}

/// In Cursor, a name without a folder is the file at the top; in the canon, it is one in any folder.
#[test]
fn a_file_at_the_top_is_not_allowed_in_every_folder() {
    let repo = Repo::empty();
    let cursor = json!({"permissions": {"allow": ["Read(notes.md)", "Read(docs/a.md)"], "deny": ["Write(go.sum)"]}});
    repo.write(".cursor/cli.json", cursor.to_string());
    let document = json(&repo, &[], 0);
    let page = repo.text("agent/protocols/permissions.md");
    assert!(page.contains("- Read: `docs/a.md`\n") && page.contains("- Edit: `go.sum`\n"), "{page}");
    assert!(!page.contains("notes.md"), "{page}");
    assert!(left(&document, ".cursor/cli.json").iter().any(|text| text.contains("`Read(notes.md)`")), "{document:#}");
    let text = changes(&document, "agent/protocols/permissions.md");
    assert!(text.contains("the canon denies these names in every folder: `Write(go.sum)`"), "{text}");
}

/// The hooks that sync writes are no hooks of the team.
#[test]
fn hooks_that_run_canonry_are_not_imported() {
    let repo = Repo::empty();
    repo.write("agent/canonry.yaml", "files: {claude: {hooks: true}, cursor: {hooks: true}}\n");
    repo.write("agent/skills/a/SKILL.md", "---\nname: a\ndescription: Use it for a.\n---\n# A\n");
    repo.sync(&[]).expect(0);
    assert!(repo.text(".claude/settings.json").contains("canonry hook stop"));
    repo.remove("agent");
    json(&repo, &["--from", "tools"], 0);
    assert!(!repo.exists("agent/hooks.yaml"), "{}", repo.text("agent/hooks.yaml"));
}

/// The header of Copilot's instructions is YAML.
#[test]
fn a_description_in_quotes_keeps_its_text() {
    let repo = Repo::empty();
    let header = "---\ndescription: \"Use: \\\"a\\\"\"\napplyTo: 'src/**'\n---\n\n# Rule\n";
    repo.write(".github/instructions/a.instructions.md", header);
    json(&repo, &[], 0);
    let text = repo.text("agent/rules/a.md");
    assert!(text.contains("description: \"Use: \\\"a\\\"\"\nglobs: [\"src/**\"]\n"), "{text}");
}

/// Tools write defaults, keys of their own and other names for a key into their files.
#[test]
fn servers_with_one_meaning_are_up_to_date() {
    let repo = Repo::empty();
    let servers = |db: Value, docs: Value| json!({"mcpServers": {"db": db, "docs": docs}}).to_string();
    let url = "https://docs.example.com/mcp";
    repo.write(
        ".mcp.json",
        servers(
            json!({"type": "stdio", "command": "db", "args": ["a"], "env": {}, "disabledTools": ["drop"]}),
            json!({"type": "http", "url": url}),
        ),
    );
    repo.write(
        ".gemini/settings.json",
        servers(
            json!({"args": ["a"], "command": "db", "excludeTools": ["drop"], "trust": true}),
            json!({"httpUrl": url, "headers": {}}),
        ),
    );
    repo.write(
        ".kiro/settings/mcp.json",
        servers(
            json!({"command": "db", "args": ["a"], "disabledTools": ["drop"], "disabled": false, "autoApprove": []}),
            json!({"url": url, "disabled": false}),
        ),
    );
    repo.write(
        ".codex/config.toml",
        format!(
            "[mcp_servers.db]\nargs = [\"a\"]\ncommand = \"db\"\nenabled = true\nstartup_timeout_sec = 9\n\
             disabled_tools = [\"drop\"]\n[mcp_servers.docs]\nurl = \"{url}\"\n"
        ),
    );
    let vscode = json!({"servers": {"docs": {"url": url, "gallery": true}}});
    repo.write(".vscode/mcp.json", vscode.to_string());
    let before = repo.tree();
    let document = json(&repo, &[], 0);
    let said = changes(&document, "agent/mcp.json");
    for words in [
        "server `db` of .gemini/settings.json: removed `trust`: the canon has no such key",
        "server `db` of .codex/config.toml: removed `startup_timeout_sec`: the canon has no such key",
        "server `docs` of .vscode/mcp.json: removed `gallery`: the canon has no such key",
        "merged with the servers of .codex/config.toml, .gemini/settings.json, .kiro/settings/mcp.json, .vscode/mcp.json",
    ] {
        assert!(said.contains(words), "{said}");
    }
    assert!(!said.contains("differs"), "{said}");
    repo.sync(&[]).expect(0);
    for path in
        [".mcp.json", ".gemini/settings.json", ".kiro/settings/mcp.json", ".codex/config.toml", ".vscode/mcp.json"]
    {
        assert_eq!(repo.tree().get(path), before.get(path), "{path}");
    }
    repo.check(&[]).expect(0).says_nothing_of(&["mirror-occupied"]);
    // A server that says something else is not overwritten.
    repo.write(".kiro/settings/mcp.json", servers(json!({"command": "db", "args": ["a"]}), json!({"url": url})));
    repo.sync(&[]).expect(5).says(&["`mcpServers.db` was set by hand"]);
}

#[test]
fn a_tool_whose_commands_another_one_has_too_gets_them() {
    let repo = Repo::empty();
    let text = "---\ndescription: Reviews.\n---\n\nReview $ARGUMENTS.\n";
    for path in [".claude/commands/review.md", ".opencode/commands/review.md", ".github/prompts/review.prompt.md"] {
        repo.write(path, text);
    }
    // No command: GitHub Copilot does not read it, and Qwen Code has no other file.
    repo.write(".qwen/commands/notes.txt", "Notes.\n");
    repo.commit_all("before");
    let document = json(&repo, &[], 0);
    assert_eq!(left(&document, ".qwen/commands/notes.txt").len(), 1, "{document:#}");
    let config = repo.text("agent/canonry.yaml");
    for line in ["claude: {commands: true}", "copilot: {commands: true}", "opencode: {commands: true}"] {
        assert!(config.contains(line), "{config}");
    }
    assert!(!config.contains("qwen"), "{config}");
    repo.sync(&[]).expect(0);
    repo.write("agent/commands/review.md", repo.text("agent/commands/review.md").replace("Review $", "Read $"));
    repo.sync(&[]).expect(0);
    assert!(repo.text(".github/prompts/review.prompt.md").contains("Read "));
    assert!(repo.text(".opencode/commands/review.md").contains("Read "));
}

/// A target of rulesync gets the file, or the import names it.
#[test]
fn each_target_of_rulesync_gets_its_file_or_is_named() {
    let repo = rulesync();
    repo.write(".rulesync/rules/web.md", "---\ntargets: [copilot, junie, other]\nglobs: [\"web/**\"]\n---\n# Web\n");
    repo.write(
        ".rulesync/subagents/reader.md",
        "---\nname: reader\ndescription: Reads.\ntargets: [copilot, kiro]\ncopilot:\n  tools: [read]\n---\nRead.\n",
    );
    repo.write(".rulesync/commands/test.md", "---\ndescription: Tests.\ntargets: [copilot, zed, roo]\n---\nTest.\n");
    // rulesync did not write this one.
    repo.write("web/AGENTS.md", "# Web\n");
    repo.write(".rulesync/commands/other.md", "---\ntargets: [zed]\n---\nOther.\n");
    let document = json(&repo, &[], 0);
    let rule = changes(&document, "agent/rules/web.md");
    assert!(
        rule.contains("`junie` has no folder of rules") && rule.contains("`other` has no folder of rules"),
        "{rule}"
    );
    let subagent = changes(&document, "agent/agents/reader.md");
    assert!(
        subagent.contains("`kiro` gets no subagents from canonry") && subagent.contains("set `tools: Read`"),
        "{subagent}"
    );
    let command = changes(&document, "agent/commands/test.md");
    for tool in ["zed", "roo"] {
        assert!(command.contains(&format!("`{tool}` gets no commands from canonry")), "{command}");
    }
    assert_eq!(left(&document, ".rulesync/commands/other.md"), ["it is only for `zed`"]);
    assert_eq!(left(&document, "web/AGENTS.md"), ["it is for one directory"]);
    let config = repo.text("agent/canonry.yaml");
    assert!(config.contains("  copilot: {subagents: true, commands: true, rules: true}\n"), "{config}");
    repo.sync(&[]).expect(0);
    assert!(repo.text(".github/agents/reader.agent.md").contains("tools:\n  - read\n"));
    assert!(repo.exists(".github/prompts/test.prompt.md") && !repo.exists(".claude/commands/test.md"));
}

#[test]
fn only_hooks_that_run_are_imported() {
    let repo = rulesync();
    let hooks = json!({"version": 1, "hooks": {"stop": [{"command": "./a.sh", "async": false}, {"command": "./b.sh", "async": true}]}});
    repo.write(".rulesync/hooks.json", hooks.to_string());
    let document = json(&repo, &[], 0);
    assert_eq!(repo.text("agent/hooks.yaml"), "hooks:\n  stop:\n    - command: \"./a.sh\"\n");
    assert_eq!(left(&document, ".rulesync/hooks.json").len(), 1, "{document:#}");

    let repo = Repo::empty();
    let stop = json!([{"type": "command", "command": "./a.sh"}]);
    repo.write(
        ".agents/hooks.json",
        json!({"old": {"enabled": false, "Stop": stop}, "new": {"Stop": stop}}).to_string(),
    );
    let document = json(&repo, &[], 0);
    assert_eq!(repo.text("agent/hooks.yaml").matches("a.sh").count(), 1);
    assert_eq!(left(&document, ".agents/hooks.json"), ["the hooks `old` are disabled"]);
}

/// OpenCode denies by permission; what the canon cannot say stays in OpenCode alone.
#[test]
fn subagents_of_opencode_keep_what_they_deny() {
    let repo = Repo::empty();
    let reader = "---\ndescription: Reads.\nmode: subagent\nmodel: a/b\ntemperature: 0.1\ntools:\n  write: false\n  bash: false\n  read: true\n---\nRead.\n";
    repo.write(".opencode/agents/reader.md", reader);
    repo.write(".opencode/agent/open.md", "---\ndescription: Helps.\npermission:\n  webfetch: deny\n---\nHelp.\n");
    let patterns = "---\ndescription: Runs.\nmode: subagent\npermission:\n  bash:\n    \"*\": deny\n    \"ls *\": allow\n---\nRun.\n";
    repo.write(".opencode/agents/patterns.md", patterns);
    let all =
        "---\ndescription: Looks.\npermission:\n  bash:\n    \"*\": deny\n  skill:\n    \"*\": allow\n---\nLook.\n";
    repo.write(".opencode/agents/all.md", all);
    repo.write(".opencode/agents/asks.md", "---\ndescription: Asks.\npermission: ask\n---\nAsk.\n");
    repo.write(".opencode/agents/main.md", "---\ndescription: Leads.\nmode: primary\n---\nLead.\n");
    repo.write(".opencode/agents/unnamed.md", "---\ndescription: Limits.\ntools:\n  \"db_*\": false\n---\nLimit.\n");
    repo.commit_all("before");
    let document = json(&repo, &[], 0);
    let page = repo.text("agent/agents/reader.md");
    for line in ["disallowedTools: Bash, Edit, Write\n", "models: {opencode: \"a/b\"}\n", "name: \"reader\"\n"] {
        assert!(page.contains(line), "{page}");
    }
    assert!(!page.contains("temperature") && !page.contains("mode:") && !page.contains("tools:\n"), "{page}");
    let said = changes(&document, "agent/agents/reader.md");
    for words in ["set `disallowedTools: Bash, Edit, Write`", "removed `temperature`"] {
        assert!(said.contains(words), "{said}");
    }
    assert!(repo.text("agent/agents/all.md").contains("disallowedTools: Bash\n"));
    assert!(changes(&document, "agent/agents/open.md").contains("it becomes a subagent alone"));
    for (name, words) in [
        ("patterns", "permission `bash`"),
        ("asks", "permission `ask`"),
        ("main", "primary agent"),
        ("unnamed", "permission `db_*`"),
    ] {
        let reasons = left(&document, &format!(".opencode/agents/{name}.md"));
        assert!(reasons.len() == 1 && reasons[0].contains(words), "{name}: {reasons:?}");
    }
    assert!(document["next"].to_string().contains("remove .opencode/agent once `canonry sync`"), "{document:#}");
    repo.sync(&[]).expect(0);
    let written = repo.text(".opencode/agents/reader.md");
    let want = "---\nname: \"reader\"\ndescription: \"Reads.\"\nmodel: \"a/b\"\nmode: subagent\npermission:\n  edit: deny\n  bash: deny\n---\nRead.\n";
    assert_eq!(written, want);
    assert_eq!(repo.text(".opencode/agents/patterns.md"), patterns);
    // Another tool gets it with the same limits.
    repo.write("agent/agents/reader.md", page.replace("disallowedTools: Bash, Edit, Write", "tools: Read"));
    repo.sync(&[]).says(&["is not written for OpenCode: it has no equivalent of `tools: Read`"]);
}

#[test]
fn a_skill_that_a_person_calls_in_two_tools_stays_valid() {
    let repo = rulesync();
    repo.write(
        ".rulesync/skills/ship/SKILL.md",
        "---\nname: ship\ndescription: Ships. Use to ship.\nclaudecode:\n  disable-model-invocation: true\ncursor:\n  disable-model-invocation: true\n---\n# Ship\n",
    );
    json(&repo, &[], 0);
    assert_eq!(repo.text("agent/skills/ship/SKILL.md").matches("disable-model-invocation: true").count(), 1);
    // A tool quotes the value itself.
    repo.write(".opencode/skills/note/SKILL.md", "---\nname: note\ndescription: Notes. Covers: a, b\n---\n# Note\n");
    let document = json(&repo, &["--from", "tools"], 0);
    assert!(changes(&document, "agent/skills/note").contains("quoted values in its frontmatter"));
    assert!(repo.text("agent/skills/note/SKILL.md").contains("description: \"Notes. Covers: a, b\"\n"));
    repo.check(&["--exclude", ".rulesync", "--exclude", ".opencode"]).expect(0);
}

/// A file without anything for the canon is named, too.
#[test]
fn settings_that_the_canon_does_not_have_are_named() {
    let repo = Repo::empty();
    let settings = |text: &str| json!({"$schema": "x", text: true}).to_string();
    repo.write(".claude/settings.json", json!({"outputStyle": "brief", "enabledPlugins": {}}).to_string());
    repo.write("opencode.json", settings("instructions"));
    repo.write(".amp/settings.json", settings("amp.permissions"));
    repo.write(".codex/config.toml", "model = \"m\"\n[mcp_servers.db]\ncommand = \"db\"\n");
    repo.write(".cursor/hooks.json", json!({"version": 1, "hooks": {}}).to_string());
    let document = json(&repo, &[], 0);
    for (path, keys) in [
        (".claude/settings.json", "`outputStyle`, `enabledPlugins`"),
        ("opencode.json", "`instructions`"),
        (".amp/settings.json", "`amp.permissions`"),
        (".codex/config.toml", "`model`"),
    ] {
        assert_eq!(left(&document, path), [format!("canonry does not import these settings: {keys}")], "{path}");
    }
    assert!(left(&document, ".cursor/hooks.json").is_empty());
}
