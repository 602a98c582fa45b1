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
