//! Subagents and commands of other tools: restrictions, tools, models and placeholders.

use crate::import::{assert_done, changes, json, left};
use crate::support::repo::Repo;

fn subagent(keys: &str) -> String {
    format!("---\nname: x\ndescription: D.\n{keys}---\n\nReview it.\n")
}

#[test]
fn restrictions_survive_an_import_and_a_forced_sync() {
    let repo = Repo::empty();
    repo.write(".cursor/agents/x.md", subagent("model: fast\nreadonly: true\n"));
    let codex = "name = \"y\"\nmodel = \"gpt-x\"\ndescription = \"D.\"\nsandbox_mode = \"read-only\"\ndeveloper_instructions = \"Test it.\"\n";
    repo.write(".codex/agents/y.toml", codex);
    let document = json(&repo, &[], 0);
    assert_eq!(
        repo.text("agent/agents/x.md"),
        "---\ntargets: [cursor]\npermissionMode: plan\nmodels: {cursor: \"fast\"}\nname: x\ndescription: D.\n---\n\nReview it.\n"
    );
    assert!(repo.text("agent/agents/y.md").contains("\npermissionMode: plan\n"));
    let text = changes(&document, "agent/agents/x.md");
    assert!(
        text.contains("`permissionMode: plan`") && text.contains("wrote its `model` as `models: {cursor: \"fast\"}`"),
        "{text}"
    );
    assert_done(&repo, &[]);
    for path in ["agent/agents/x.md", "agent/agents/y.md"] {
        let shared = repo.text(path).replace("targets: [cursor]\n", "").replace("targets: [codex]\n", "");
        repo.write(path, shared);
    }
    repo.write(
        "agent/canonry.yaml",
        "targets: [claude]\nfiles: {claude: {subagents: true}, cursor: {subagents: true}, codex: {subagents: true}}\n",
    );
    repo.sync(&["--force"]).expect(0);
    for name in ["x", "y"] {
        assert!(repo.text(&format!(".cursor/agents/{name}.md")).contains("\nreadonly: true\n"));
        assert_eq!(repo.text(&format!(".cursor/agents/{name}.md")).contains("\nmodel: \"fast\"\n"), name == "x");
        assert_eq!(repo.text(&format!(".codex/agents/{name}.toml")).contains("model = \"gpt-x\"\n"), name == "y");
        assert!(repo.text(&format!(".codex/agents/{name}.toml")).contains("sandbox_mode = \"read-only\""));
        assert!(repo.text(&format!(".claude/agents/{name}.md")).contains("permissionMode: plan"));
    }
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn equal_copies_have_the_restrictions_of_all() {
    let repo = Repo::empty();
    repo.write(".claude/agents/x.md", subagent("tools: Read, Bash\n"));
    repo.write(".cursor/agents/x.md", subagent("readonly: true\n"));
    let document = json(&repo, &[], 0);
    let text = repo.text("agent/agents/x.md");
    assert!(text.contains("tools: Read, Bash\n") && text.contains("permissionMode: plan\n"), "{text}");
    let text = changes(&document, "agent/agents/x.md");
    assert!(text.contains("because of .cursor/agents/x.md"), "{text}");
    assert_done(&repo, &[]);
}

#[test]
fn names_of_gemini_are_translated_or_named() {
    let repo = Repo::empty();
    repo.write(
        ".gemini/agents/x.md",
        subagent("kind: local\ntools:\n  - read_file\n  - run_shell_command\n  - ask_user\nmodel: gemini-3-pro\ntemperature: 0.2\n"),
    );
    repo.write(".gemini/agents/all.md", subagent("tools: [\"*\"]\n"));
    repo.write(".gemini/agents/odd.md", subagent("tools: [ask_user]\n"));
    repo.write(".gemini/agents/far.md", subagent("kind: remote\nagent_card_url: https://x.example\n"));
    let document = json(&repo, &[], 0);
    let text = repo.text("agent/agents/x.md");
    assert!(text.contains("tools: Read, Bash\n"), "{text}");
    assert!(text.contains("models: {gemini: \"gemini-3-pro\"}\n"), "{text}");
    for gone in ["read_file", "temperature", "kind", "ask_user"] {
        assert!(!text.contains(gone), "{text}");
    }
    let text = changes(&document, "agent/agents/x.md");
    assert!(
        ["`models: {gemini: \"gemini-3-pro\"}`", "`temperature`", "`ask_user`"]
            .iter()
            .all(|words| text.contains(words)),
        "{text}"
    );
    assert!(!repo.text("agent/agents/all.md").contains("tools"));
    // Without any tool of its list, Claude Code would give it all of them.
    assert!(left(&document, ".gemini/agents/odd.md")[0].contains("no equivalent of its tools"));
    assert!(left(&document, ".gemini/agents/far.md")[0].contains("remote"));
    assert!(!repo.exists("agent/agents/odd.md"));
}

#[test]
fn restrictions_of_qwen_and_factory_are_translated() {
    let repo = Repo::empty();
    let file = |path: &str, keys: &str| repo.write(path, subagent(keys));
    file(".qwen/agents/a.md", "tools: [read_file, run_shell_command]\nmodel: fast\n");
    file(".qwen/agents/b.md", "disallowedTools: [write_file, mcp__db]\napprovalMode: plan\n");
    file(".qwen/agents/odd.md", "disallowedTools: [some_tool]\n");
    file(".factory/droids/c.md", "tools: read-only\n");
    let document = json(&repo, &[], 0);
    let a = repo.text("agent/agents/a.md");
    assert!(a.contains("tools: Read, Bash\n") && a.contains("models: {qwen: \"fast\"}\n"), "{a}");
    let b = repo.text("agent/agents/b.md");
    assert!(b.contains("disallowedTools: Write, mcp__db\n") && b.contains("permissionMode: plan\n"), "{b}");
    assert!(!b.contains("approvalMode"), "{b}");
    assert!(repo.text("agent/agents/c.md").contains("tools: Read, LS, Grep, Glob\n"));
    assert!(left(&document, ".qwen/agents/odd.md")[0].contains("no equivalent of its tools"));
}

#[test]
fn commands_of_gemini_are_translated() {
    let repo = Repo::empty();
    repo.write(
        ".gemini/commands/c.toml",
        "prompt = \"\"\"\nOn !{git branch}, read @{docs/a.md} for {{args}}. It costs $5.\n\"\"\"\n",
    );
    repo.write(".gemini/commands/odd.toml", "prompt = \"Dates: !{echo `date`}\"\n");
    let document = json(&repo, &[], 0);
    assert_eq!(repo.text("agent/commands/c.md"), "On !`git branch`, read @docs/a.md for $ARGUMENTS. It costs \\$5.\n");
    assert!(left(&document, ".gemini/commands/odd.toml")[0].contains("Claude Code cannot express"));
    // Sync writes what was imported.
    repo.write("agent/canonry.yaml", "targets: [claude]\nfiles: {gemini: {commands: true}}\n");
    repo.remove(".gemini/commands");
    repo.sync(&[]).expect(0);
    let text = repo.text(".gemini/commands/c.toml");
    assert!(text.contains("On !{git branch}, read @{docs/a.md} for {{args}}. It costs $5."), "{text}");
}

#[test]
fn sections_of_rulesync_restrict_every_tool() {
    let repo = Repo::empty();
    repo.write(
        ".rulesync/subagents/x.md",
        "---\nname: x\ndescription: D.\ntargets: [\"*\"]\nclaudecode:\n  model: inherit\ncursor:\n  readonly: true\n---\nReview it.\n",
    );
    repo.write(
        ".rulesync/subagents/y.md",
        "---\nname: y\ndescription: D.\ntargets: [\"*\"]\ncodexcli:\n  sandbox_mode: read-only\ngeminicli:\n  tools: [read_file]\n---\nReview it.\n",
    );
    repo.write(
        ".rulesync/subagents/z.md",
        "---\nname: z\ndescription: D.\ntargets: [\"*\"]\nopencode:\n  mode: primary\n  tools: {bash: true, edit: false}\n---\nReview it.\n",
    );
    let document = json(&repo, &[], 0);
    let z = repo.text("agent/agents/z.md");
    assert!(z.contains("disallowedTools: ") && !z.contains("tools: ["), "{z}");
    assert!(repo.text("agent/agents/x.md").contains("permissionMode: plan\n"));
    let text = repo.text("agent/agents/y.md");
    assert!(text.contains("permissionMode: plan\n") && text.contains("tools: Read\n"), "{text}");
    assert!(changes(&document, "agent/agents/x.md").contains("its sections for other tools"));
}

/// The check of these files does the same.
#[test]
fn values_that_claude_code_quotes_itself_are_quoted() {
    let repo = Repo::empty();
    let hint = "argument-hint: [url] [text]";
    repo.write(".claude/commands/reply.md", format!("---\ndescription: Reply to: one issue\n{hint}\n---\n\nReply.\n"));
    repo.write(".claude/commands/odd.md", "---\ndescription: \"a\" b\n---\n\nReply.\n");
    let document = json(&repo, &[], 65);
    let text = repo.text("agent/commands/reply.md");
    assert_eq!(text, "---\ndescription: \"Reply to: one issue\"\nargument-hint: \"[url] [text]\"\n---\n\nReply.\n");
    let said = changes(&document, "agent/commands/reply.md");
    assert_eq!(said, "quoted values in its frontmatter, which was not valid YAML");
    assert!(left(&document, ".claude/commands/odd.md")[0].contains("line 2: the frontmatter is not valid YAML"));
    assert!(!repo.exists("agent/commands/odd.md"));
    repo.check(&[]).expect(1).says(&[".claude/commands/odd.md"]).says_nothing_of(&["reply.md"]);
}

/// GitHub Copilot names groups of tools. A tool that no other has is not replaced with all of them.
#[test]
fn subagents_of_copilot_are_imported_and_written_again() {
    let repo = Repo::empty();
    let keys = "description: D.\ntools: [\"read\", \"search\", \"db/query\", \"odd\"]\nmodel: GPT-5\ntarget: vscode\n";
    repo.write(".github/agents/review.agent.md", format!("---\n{keys}---\n\nReview it.\n"));
    repo.write(".github/agents/odd.agent.md", "---\ndescription: D.\ntools: [odd]\n---\nX.\n");
    let document = json(&repo, &[], 0);
    let text = repo.text("agent/agents/review.md");
    for line in ["name: \"review\"\n", "tools: Read, Grep, Glob, mcp__db__query\n", "models: {copilot: \"GPT-5\"}\n"] {
        assert!(text.contains(line), "{text}");
    }
    assert!(!text.contains("vscode"), "{text}");
    let text = changes(&document, "agent/agents/review.md");
    assert!(text.contains("removed from `tools`: `odd`") && text.contains("removed `target`"), "{text}");
    assert!(left(&document, ".github/agents/odd.agent.md")[0].contains("no equivalent of its tools: odd"));
    repo.sync(&["--force"]).expect(0);
    let text = repo.text(".github/agents/review.agent.md");
    assert!(text.contains("model: \"GPT-5\"\ntools:\n  - read\n  - search\n  - db/query\n"), "{text}");
}
