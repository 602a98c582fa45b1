//! Repositories as rulesync 17 and ruler leave them: imported, synced, and compared field by field with what these tools
//! had generated.

use crate::import::{json, taken};
use crate::support::repo::{Repo, document};
use serde_json::{Value, json};

fn parsed(repo: &Repo, file: &str) -> Value {
    serde_json::from_str(&repo.text(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// The value of a line `key: value` or `key = "value"`, without quotes.
fn field(text: &str, key: &str) -> Option<String> {
    let line =
        text.lines().find(|line| line.starts_with(&format!("{key}: ")) || line.starts_with(&format!("{key} = ")))?;
    Some(line[key.len()..].trim_start_matches([':', ' ', '=']).trim_matches('"').to_owned())
}

const SERVERS: &str = r#"{"mcpServers": {"docs": {"type": "http", "url": "https://docs.example.com/mcp"},
    "off": {"command": "x", "enabled": false}, "narrow": {"command": "n", "targets": ["cursor"]}},
    "claudecode": {"mcpServers": {"own": {"command": "o"}, "docs": null}}}"#;

/// The source, and files that `rulesync generate` wrote from it.
fn rulesync() -> Repo {
    let repo = Repo::empty();
    repo.write("rulesync.jsonc", r#"{"targets": ["claudecode", "cursor", "codexcli"], "features": ["*"]}"#);
    repo.write(".rulesync/rules/overview.md", "---\nroot: true\nglobs: [\"**/*\"]\n---\n# The project\n");
    repo.write(
        ".rulesync/rules/ts.md",
        "---\ntargets: [\"*\"]\ndescription: TS rules\nglobs: [\"src/**/*.ts\", \"*.js\"]\n---\n# TS\n",
    );
    repo.write(
        ".rulesync/subagents/rev.md",
        "---\nname: rev\ntargets: [\"*\"]\ndescription: Reviews\nclaudecode:\n  model: sonnet\n  tools: [Read, Grep]\ncursor:\n  readonly: true\n\
         codexcli:\n  sandbox_mode: read-only\n---\nReview it.\n",
    );
    repo.write(".rulesync/commands/c.md", "---\ndescription: Go\ntargets: [\"*\"]\n---\nDo $ARGUMENTS.\n");
    repo.write(".rulesync/skills/deploy/SKILL.md", document("deploy"));
    repo.write(".rulesync/mcp.jsonc", SERVERS);
    repo.write(".mcp.json", r#"{"mcpServers": {"own": {"command": "o"}}}"#);
    repo.write(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"docs": {"type": "http", "url": "https://docs.example.com/mcp"}, "narrow": {"command": "n"}}}"#,
    );
    repo.write(".cursor/agents/rev.md", "---\nname: rev\ndescription: Reviews\nreadonly: true\n---\nReview it.\n");
    repo.write(
        ".codex/agents/rev.toml",
        "name = \"rev\"\ndescription = \"Reviews\"\nsandbox_mode = \"read-only\"\ndeveloper_instructions = \"Review it.\"\n",
    );
    repo.write(
        ".claude/agents/rev.md",
        "---\nname: rev\ndescription: Reviews\nmodel: sonnet\ntools:\n  - Read\n  - Grep\n---\nReview it.\n",
    );
    repo.write(".cursor/rules/ts.mdc", "---\ndescription: TS rules\nglobs: src/**/*.ts,*.js\n---\n\n# TS\n");
    repo.write(".claude/rules/ts.md", "---\npaths:\n  - \"src/**/*.ts\"\n  - \"*.js\"\n---\n# TS\n");
    repo
}

#[test]
fn rulesync_means_the_same_after_a_sync() {
    let repo = rulesync();
    let generated = rulesync();
    let ran = repo.canonry(&["import"]).expect(0);
    let names =
        ".claude/agents, .claude/rules, .codex/agents, .cursor/agents, .cursor/mcp.json, .cursor/rules, .mcp.json";
    ran.says(&[format!("the tools also have {names}. They keep").as_str()]);
    for path in [".mcp.json", ".cursor", ".codex", ".claude", ".rulesync", "rulesync.jsonc"] {
        repo.remove(path);
    }
    repo.write(
        "agent/canonry.yaml",
        repo.text("agent/canonry.yaml").replace("  cursor: {", "  cursor: {rules: true, "),
    );
    repo.sync(&[]).expect(0);
    repo.check(&[]).expect(0);
    assert_eq!(parsed(&repo, ".mcp.json"), parsed(&generated, ".mcp.json"));
    let servers = |repo: &Repo| parsed(repo, ".cursor/mcp.json")["mcpServers"].clone();
    assert_eq!(servers(&repo)["docs"]["url"], servers(&generated)["docs"]["url"]);
    assert_eq!(servers(&repo)["narrow"], servers(&generated)["narrow"]);
    assert_eq!(servers(&repo).as_object().unwrap().len(), 2, "a disabled server reaches no tool");
    for (file, keys) in [
        (".cursor/agents/rev.md", &["name", "description", "readonly"][..]),
        (".codex/agents/rev.toml", &["name", "description", "sandbox_mode"]),
        (".claude/agents/rev.md", &["name", "description", "model"]),
    ] {
        for key in keys {
            assert_eq!(field(&repo.text(file), key), field(&generated.text(file), key), "{file}: {key}");
        }
        assert!(repo.text(file).contains("Review it."));
    }
    assert_eq!(field(&repo.text(".claude/agents/rev.md"), "tools").as_deref(), Some("Read, Grep"));
    let rule = repo.text(".cursor/rules/ts.mdc");
    for key in ["description", "globs"] {
        assert_eq!(field(&rule, key), field(&generated.text(".cursor/rules/ts.mdc"), key), "{key}");
    }
    assert!(repo.text("AGENTS.md").contains("> For files: `src/**/*.ts`, `*.js`. TS rules\n"));
}

#[test]
fn generated_files_alone_are_one_source() {
    let repo = rulesync();
    repo.remove(".rulesync");
    repo.remove("rulesync.jsonc");
    let document = json(&repo, &[], 0);
    let text = repo.text("agent/agents/rev.md");
    assert!(text.contains("tools: Read, Grep\n") && text.contains("permissionMode: plan\n"), "{text}");
    let rule = repo.text("agent/rules/ts.md");
    assert!(rule.contains("description: \"TS rules\"\nglobs: [\"src/**/*.ts\", \"*.js\"]\n"), "{rule}");
    assert!(taken(&document).iter().any(|taken| taken.contains(".cursor/agents/rev.md")), "{document:#}");
}

#[test]
fn ruler_means_the_same_after_a_sync() {
    let repo = Repo::empty();
    repo.write(".ruler/AGENTS.md", "# The project\n");
    repo.write(".ruler/style.md", "# Style\n");
    repo.write(
        ".ruler/ruler.toml",
        "default_agents = [\"claude\", \"codex\", \"cursor\"]\n[mcp_servers.docs]\nurl = \"https://docs.example.com/mcp\"\n\
         [mcp_servers.docs.headers]\nAuthorization = \"Bearer hunter2\"\n[agents]\nenabled = true\n[agents.codex.mcp]\nenabled = false\n",
    );
    repo.write(".ruler/skills/deploy/SKILL.md", document("deploy"));
    // ruler knows Claude Code's tools and models, and Cursor's `readonly`.
    repo.write(
        ".ruler/agents/rev.md",
        "---\nname: rev\ndescription: Reviews.\ntools: Read, Grep\nreadonly: true\nmodel: sonnet\n---\nReview it.\n",
    );
    json(&repo, &[], 0);
    repo.remove(".ruler");
    repo.sync(&[]).expect(0);
    assert_eq!(
        parsed(&repo, ".mcp.json"),
        json!({"mcpServers": {"docs": {"type": "http", "url": "https://docs.example.com/mcp",
            "headers": {"Authorization": "Bearer ${DOCS_AUTHORIZATION}"}}}})
    );
    assert!(!repo.exists(".codex/config.toml"), "the source switches it off");
    assert_eq!(field(&repo.text(".cursor/agents/rev.md"), "readonly").as_deref(), Some("true"));
    assert_eq!(field(&repo.text(".codex/agents/rev.toml"), "sandbox_mode").as_deref(), Some("read-only"));
    let claude = repo.text(".claude/agents/rev.md");
    assert_eq!(field(&claude, "tools").as_deref(), Some("Read, Grep"));
    assert_eq!(
        (field(&claude, "permissionMode").as_deref(), field(&claude, "model").as_deref()),
        (Some("plan"), Some("sonnet"))
    );
    assert!(repo.text("AGENTS.md").contains("# Style"));
}
