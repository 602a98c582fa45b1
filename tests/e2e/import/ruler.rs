//! `.ruler/`

use crate::import::{assert_done, assert_kept, changes, json, left, taken};
use crate::support::repo::Repo;
use serde_json::Value;

const CONFIG: &str = r#"default_agents = ["claude", "Codex"]
nested = true

[mcp_servers.files]
command = "npx"
args = ["-y", "files"]
env = { API_KEY = "your-api-key" }

[mcp_servers.search]
url = "https://search.example.com/mcp"
[mcp_servers.search.headers]
Authorization = "Bearer your-token"

[agents]
enabled = true
[agents.aider]
enabled = true
output_path_instructions = "NOTES.md"
[agents.cursor]
enabled = true
[agents.cursor.mcp_servers.chat]
url = "https://chat.example.com/mcp"
"#;

fn repo() -> Repo {
    let repo = Repo::empty();
    repo.write(".ruler/AGENTS.md", "# The project\r\n\r\nBe kind.\r\n");
    repo.write(".ruler/style.md", "# Style\n");
    repo.write(".ruler/lang/python.md", "# Python\n");
    repo.write(".ruler/ruler.toml", CONFIG);
    repo.write(".ruler/mcp.json", r#"{"mcpServers": {"files": {"command": "other"}, "old": {"command": "old"}}}"#);
    repo.write(".ruler/skills/pdf/SKILL.md", "# PDF: how to\n\nRead it.\n");
    repo.write(".ruler/skills/office/word/SKILL.md", "---\nname: word\ndescription: Writes. Use for letters.\n---\n");
    repo.write(".ruler/skills/README.md", "About.\n");
    repo.write(
        ".ruler/agents/reviewer.md",
        "---\nname: reviewer\ndescription: Reviews.\ntools: [Read]\n---\n\nReview.\n",
    );
    repo.write(".ruler/agents/nobody.md", "No frontmatter.\n");
    repo
}

#[test]
fn imports_everything_the_canon_can_express() {
    let repo = repo();
    let before = repo.tree();
    let document = json(&repo, &[], 0);
    assert_kept(&before, &repo.tree());
    let want = [
        ".ruler/AGENTS.md -> agent/AGENTS.md",
        ".ruler/agents/reviewer.md -> agent/agents/reviewer.md",
        ".ruler/lang/python.md -> agent/policies/lang/python.md",
        ".ruler/ruler.toml -> agent/mcp.json",
        ".ruler/skills/office/word -> agent/skills/office/word",
        ".ruler/skills/pdf -> agent/skills/pdf",
        ".ruler/style.md -> agent/policies/style.md",
    ];
    assert_eq!(taken(&document), want);
    for (from, to) in [
        (".ruler/AGENTS.md", "agent/AGENTS.md"),
        (".ruler/agents/reviewer.md", "agent/agents/reviewer.md"),
        (".ruler/skills/office/word/SKILL.md", "agent/skills/office/word/SKILL.md"),
    ] {
        assert_eq!(repo.read(from), repo.read(to));
    }
    let servers: serde_json::Value = serde_json::from_str(&repo.text("agent/mcp.json")).unwrap();
    let want = serde_json::json!({"mcpServers": {
        "files": {"command": "npx", "args": ["-y", "files"], "env": {"API_KEY": "${API_KEY}"}},
        "search": {"type": "http", "url": "https://search.example.com/mcp", "headers": {"Authorization": "Bearer ${SEARCH_AUTHORIZATION}"}},
        "old": {"command": "old"}
    }, "cursor": {"mcpServers": {"chat": {"type": "http", "url": "https://chat.example.com/mcp"}}}});
    assert_eq!(servers, want);
    assert_eq!(
        repo.text("agent/skills/pdf/SKILL.md"),
        "---\nname: pdf\ndescription: \"PDF: how to\"\n---\n\n# PDF: how to\n\nRead it.\n"
    );
    assert!(changes(&document, "agent/skills/pdf").contains("no frontmatter"));
}

#[test]
fn reports_skipped_items_with_reasons() {
    let repo = repo();
    repo.write("AGENTS.md", "# Our own\n");
    let document = json(&repo, &[], 0);
    for (path, words) in [
        (".ruler/ruler.toml", "`agents.aider.output_path_instructions` is NOTES.md"),
        (".ruler/ruler.toml", "`nested`"),
        (".ruler/mcp.json", "server `files`: the one in .ruler/ruler.toml takes precedence"),
        (".ruler/agents/nobody.md", "no frontmatter"),
        (".ruler/skills/README.md", "does not belong to a skill"),
        ("AGENTS.md", "ruler did not generate it"),
    ] {
        assert!(left(&document, path).iter().any(|text| text.contains(words)), "{path}: {:?}", left(&document, path));
    }
    assert_eq!(repo.text("AGENTS.md"), "# Our own\n");
    // Without ruler, its folder is not one directory of the project with instructions of its own.
    let document = json(&repo, &["--from", "tools"], 5);
    assert_eq!(left(&document, ".ruler/AGENTS.md"), [""; 0]);
}

#[test]
fn a_path_that_canonry_writes_too_is_not_reported() {
    let repo = Repo::empty();
    repo.write(".ruler/AGENTS.md", "# Ours\n");
    let config = "[agents.claude]\noutput_path = \"CLAUDE.md\"\n[agents.codex]\noutput_path = \"./AGENTS.md\"\n\
                  output_path_config = \"codex.toml\"\n";
    repo.write(".ruler/ruler.toml", config);
    let document = json(&repo, &[], 0);
    let want = ["`agents.codex.output_path_config` is codex.toml: canonry writes to each tool's default path"];
    assert_eq!(left(&document, ".ruler/ruler.toml"), want);
}

#[test]
fn canon_has_no_errors_and_reaches_the_same_tools() {
    let repo = repo();
    json(&repo, &[], 0);
    assert_done(&repo, &[]);
    let config = repo.text("agent/canonry.yaml");
    assert!(config.contains("targets: [claude, agents]\n"), "{config}");
    assert!(config.contains("  cursor: {mcp: true, subagents: true}\n"), "it was switched on by itself: {config}");
    assert!(!config.contains("gemini"), "{config}");
    repo.sync(&[]).expect(0);
    // The skill of the source itself has no frontmatter, as an agent would see it.
    let report: Value = serde_json::from_str(&repo.check(&["--format", "json"]).expect(1).stdout).unwrap();
    let findings = report["findings"].as_array().unwrap().iter().filter(|finding| finding["severity"] == "error");
    let found: Vec<(&str, &str)> =
        findings.map(|one| (one["path"].as_str().unwrap(), one["rule"].as_str().unwrap())).collect();
    assert_eq!(found, [(".ruler/skills/pdf/SKILL.md", "frontmatter-missing")]);
    repo.check(&["agent", ".claude", ".agents"]).expect(0);
    assert_done(&repo, &[]);
}

#[test]
fn reports_generated_files_and_ignore_patterns() {
    let repo = repo();
    repo.write("AGENTS.md", "<!-- Generated by Ruler -->\n\n<!-- Source: .ruler/AGENTS.md -->\n");
    repo.write(".gitignore", "# START Ruler Generated Files\n/AGENTS.md\n# END Ruler Generated Files\n");
    let ran = repo.canonry(&["import"]).expect(0);
    ran.says(&["remove AGENTS.md before the first `canonry sync`", "ruler's block from .gitignore", "ruler apply"]);
}

#[test]
fn reports_the_line_of_an_invalid_config() {
    let repo = repo();
    repo.write(".ruler/ruler.toml", "a = 1\nb = = 2\n");
    let document = json(&repo, &[], 65);
    assert!(left(&document, ".ruler/ruler.toml")[0].starts_with("line 2: invalid TOML"));
    assert!(repo.exists("agent/AGENTS.md"));
}

#[test]
fn without_a_config_selects_every_tool() {
    let repo = Repo::empty();
    repo.write(".ruler/instructions.md", "# The project\n");
    let document = json(&repo, &[], 0);
    assert_eq!(taken(&document), [".ruler/instructions.md -> agent/AGENTS.md"]);
    let config = repo.text("agent/canonry.yaml");
    for line in ["targets: [claude, agents]\n", "  agents: {context: map}\n", "  gemini: {context: setting}\n"] {
        assert!(config.contains(line), "{config}");
    }
}
