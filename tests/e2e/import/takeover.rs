//! A repository with files of several tools, from the import to a clean, synced commit.

use super::{changes, json, left};
use crate::support::repo::{Repo, document};
use serde_json::{Value, json};

/// Imports, syncs and commits everything: every step is done, and the commit is clean.
#[track_caller]
fn take_over(repo: &Repo) -> Value {
    repo.commit_all("before");
    let document = json(repo, &[], 0);
    repo.sync(&[]).expect(0).says_nothing_of(&["refused   "]);
    repo.commit_all("take over");
    repo.canonry(&["check", "--rev", "HEAD"]).expect(0);
    repo.sync(&["--check"]).expect(0);
    assert_eq!(repo.git(&["status", "--short"]), "");
    document
}

/// Each tool has a form of its own for the same rule, and a person writes it differently than sync does.
#[test]
fn files_in_the_form_of_a_tool_are_replaced() {
    let repo = Repo::empty();
    repo.write(".cursor/rules/a.mdc", "---\nglobs:\n  - \"src/**\"\ndescription: A\n---\n# A\n");
    repo.write(".github/instructions/b.instructions.md", "---\napplyTo:\n  - \"*.rs\"\n---\n# B\n");
    repo.write(".cursor/commands/go.md", "---\nname: /go\n---\n\nGo.\n");
    repo.write(".claude/commands/fine.md", "Fine.\n");
    take_over(&repo);
    assert!(repo.text(".cursor/rules/a.mdc").contains("globs: src/**\n"));
    assert_eq!(repo.text(".github/instructions/b.instructions.md"), "---\napplyTo: \"*.rs\"\n---\n\n# B\n");
    assert_eq!(repo.text(".cursor/commands/go.md"), "Go.\n");
    assert_eq!(repo.text(".claude/commands/fine.md"), "Fine.\n");
}

#[test]
fn comments_above_keys_stay_in_the_files_of_tools() {
    let repo = Repo::empty();
    let own = "---\n# by hand\nname: x\ndescription: D.\n# slow\nmodel: opus\n---\n\nReview it.\n";
    repo.write(".claude/agents/x.md", own);
    repo.write(".cursor/agents/x.md", "---\nname: x\ndescription: D.\nmodel: fast\n---\n\nReview it.\n");
    take_over(&repo);
    assert!(repo.text("agent/agents/x.md").contains("models: {cursor: \"fast\"}\n"));
    assert_eq!(repo.text(".claude/agents/x.md"), own);
}

/// A file that is only in the work tree may say more than the canon's.
#[test]
fn a_converted_file_that_git_does_not_have_stays() {
    let repo = Repo::empty();
    repo.write("README.md", "x\n");
    repo.commit_all("before");
    repo.write(".cursor/commands/go.md", "---\nname: /go\n---\n\nGo.\n");
    json(&repo, &[], 0);
    repo.sync(&[]).expect(5).says(&["refused   .cursor/commands/go.md"]);
    assert!(repo.text(".cursor/commands/go.md").contains("name: /go"));
}

#[test]
fn what_one_tool_has_stays_with_it() {
    let repo = Repo::empty();
    repo.write(".claude/commands/opsx/apply.md", "---\ndescription: D\n---\n\nApply.\n");
    repo.write(".cursor/commands/opsx-apply.md", "Apply.\n");
    repo.write(".claude/commands/same.md", "Same.\n");
    repo.write(".cursor/commands/same.md", "Same.\n");
    repo.write(".claude/rules/a.md", "# A\n");
    repo.write(".cursor/rules/b.mdc", "---\nalwaysApply: true\n---\n\n# B\n");
    let document = take_over(&repo);
    let said = changes(&document, "agent/commands/opsx/apply.md");
    assert_eq!(said, "stays with claude, which had it: to give it to cursor too, remove `targets`");
    assert!(changes(&document, "agent/rules/b.md").contains("stays with cursor"));
    assert_eq!(changes(&document, "agent/commands/same.md"), "");
    assert_eq!(repo.text(".claude/commands/opsx/apply.md"), "---\ndescription: D\n---\n\nApply.\n");
    for path in [
        ".claude/commands/opsx-apply.md",
        ".cursor/commands/opsx/apply.md",
        ".claude/rules/b.md",
        ".cursor/rules/a.mdc",
    ] {
        assert!(!repo.path(path).exists(), "{path}");
    }
}

#[test]
fn servers_stay_with_the_tools_that_have_them() {
    let repo = Repo::empty();
    let http = r#"{"type": "http", "url": "https://e.example/mcp"}"#;
    let bare = r#"{"url": "https://e.example/mcp", "headers": {}}"#;
    let claude = format!(r#"{{"mcpServers": {{"web": {http}, "db": {{"command": "db", "env": {{}}}}}}}}"#);
    let cursor = format!(r#"{{"mcpServers": {{"web": {bare}, "db": {{"type": "stdio", "command": "other"}}}}}}"#);
    let code = format!(r#"{{"servers": {{"web": {bare}}}}}"#);
    repo.write(".mcp.json", &claude);
    repo.write(".cursor/mcp.json", &cursor);
    repo.write(".vscode/mcp.json", &code);
    let document = take_over(&repo);
    let said = changes(&document, "agent/mcp.json");
    assert!(said.contains("server `db` differs for cursor, which keeps its own"), "{said}");
    assert!(said.contains("server `db` is not for copilot, as before"), "{said}");
    let canon: Value = serde_json::from_str(&repo.text("agent/mcp.json")).unwrap();
    assert_eq!(canon["cursor"], json!({"mcpServers": {"db": {"command": "other"}}}));
    assert_eq!(canon["copilot"], json!({"mcpServers": {"db": null}}));
    for (path, before) in [(".mcp.json", claude), (".cursor/mcp.json", cursor), (".vscode/mcp.json", code)] {
        assert_eq!(repo.text(path), before, "{path}");
    }
}

/// A limit has one name in the canon, whatever the tool calls it. In Qwen Code, the key of a URL says the protocol.
#[test]
fn servers_keep_their_meaning_from_tool_to_tool() {
    let repo = Repo::empty();
    let factory =
        json!({"mcpServers": {"db": {"type": "stdio", "command": "db", "timeoutMs": 4000, "enabledTools": ["read"]}}});
    repo.write(".factory/mcp.json", factory.to_string());
    let qwen =
        r#"{"mcpServers": {"old": {"url": "https://e.example/sse"}, "new": {"httpUrl": "https://e.example/mcp"}}}"#;
    repo.write(".qwen/settings.json", qwen);
    let document = take_over(&repo);
    let canon: Value = serde_json::from_str(&repo.text("agent/mcp.json")).unwrap();
    let servers = json!({
        "db": {"command": "db", "timeout": 4000, "includeTools": ["read"]},
        "old": {"type": "sse", "url": "https://e.example/sse"},
        "new": {"type": "http", "url": "https://e.example/mcp"},
    });
    assert_eq!(canon["mcpServers"], servers, "{document:#}");
    assert_eq!(repo.text(".qwen/settings.json"), qwen);
    assert_eq!(repo.text(".factory/mcp.json"), factory.to_string());
}

/// OpenCode reads servers of its version 1 beside those of version 2.
#[test]
fn servers_of_an_older_form_are_not_written_twice() {
    let repo = Repo::empty();
    let text = r#"{"mcp": {"db": {"type": "local", "command": ["db", "--fast"]}}}"#;
    repo.write("opencode.json", text);
    repo.write(".mcp.json", r#"{"mcpServers": {"db": {"command": "db"}}}"#);
    let document = take_over(&repo);
    assert_eq!(repo.text("opencode.json"), text);
    assert!(document["next"].to_string().contains("opencode.json keeps its servers"), "{document:#}");
}

/// The block replaces a text that is a copy of the canon's, also one that another program has marked as its own.
#[test]
fn agents_md_does_not_get_its_text_twice() {
    let repo = Repo::empty();
    repo.write("AGENTS.md", "# Ours\n\nDo it.\n");
    repo.link("CLAUDE.md", "AGENTS.md");
    repo.write(".cursor/commands/go.md", "Go.\n");
    take_over(&repo);
    let managed = "<!-- >>> canonry >>> -->\n# Ours\n\nDo it.\n<!-- <<< canonry <<< -->\n";
    assert_eq!(repo.text("AGENTS.md"), managed);
    let generated = Repo::empty();
    generated.write(".ruler/AGENTS.md", "# Ours\n\nDo it.\n");
    generated.write(".ruler/ruler.toml", "default_agents = [\"claude\", \"amp\", \"acme\"]\n");
    generated
        .write("AGENTS.md", "<!-- Generated by Ruler -->\n\n<!-- Source: .ruler/AGENTS.md -->\n\n# Ours\n\nDo it.\n");
    let document = take_over(&generated);
    assert_eq!(generated.text("AGENTS.md"), managed);
    assert_eq!(left(&document, ".ruler/ruler.toml"), ["canonry does not support `acme`"]);
}

/// A file of one line that leads to another one is not the team's text.
#[test]
fn a_pointer_to_the_context_file_is_not_imported() {
    let repo = Repo::empty();
    repo.write("AGENTS.md", "Please read `./CLAUDE.md` for context.\n");
    repo.write("CLAUDE.md", "# Ours\n");
    repo.write(".claude/skills/a/SKILL.md", document("a"));
    let document = take_over(&repo);
    assert_eq!(repo.text("agent/AGENTS.md"), "# Ours\n");
    assert_eq!(left(&document, "AGENTS.md"), ["it only leads to CLAUDE.md, which is imported"]);
}

#[test]
fn a_context_file_that_is_a_link_is_read_where_it_leads() {
    let repo = Repo::empty();
    repo.write(".agents/AGENTS.md", "# Ours\n");
    repo.link("AGENTS.md", ".agents/AGENTS.md");
    repo.write(".agents/skills/a/SKILL.md", document("a"));
    let document = take_over(&repo);
    assert_eq!(repo.text("agent/AGENTS.md"), "# Ours\n");
    assert_eq!(changes(&document, "agent/AGENTS.md"), "AGENTS.md is a link to it");
    assert!(left(&document, ".agents/AGENTS.md").is_empty(), "{document:#}");
    assert!(document["next"].to_string().contains("remove the link and set"), "{document:#}");
}

/// Teams whose manager generates everything commit none of it, and its pattern for AGENTS.md matches the canon's too.
#[test]
fn mirrors_that_git_ignores_stay_ignored() {
    let repo = Repo::empty();
    repo.write(".gitignore", "**/AGENTS.md\n**/.claude/skills/\n**/.agents/skills/\n");
    repo.write("rulesync.jsonc", r#"{"targets": ["claudecode", "codexcli"]}"#);
    repo.write(".rulesync/rules/overview.md", "---\nroot: true\n---\n# Ours\n");
    repo.write(".rulesync/skills/a/SKILL.md", document("a"));
    let document = json(&repo, &[], 0);
    repo.sync(&[]).expect(0);
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "take over"]);
    repo.canonry(&["check", "--rev", "HEAD"]).expect(0);
    repo.sync(&["--check"]).expect(0);
    assert!(repo.text("agent/canonry.yaml").contains("  git: {ignore: true}\n"));
    assert!(repo.git(&["ls-files"]).contains("agent/AGENTS.md"));
    let next = document["next"].to_string();
    assert!(next.contains("git ignores the mirrors, as before"), "{next}");
    assert!(next.contains("git ignored agent/AGENTS.md: agent/.gitignore makes git take them"), "{next}");
}

#[test]
fn instructions_for_one_tool_become_those_of_the_canon() {
    let repo = Repo::empty();
    repo.write(".github/copilot-instructions.md", "Be kind.\n");
    repo.write("QWEN.md", "Be quick.\n");
    let document = take_over(&repo);
    assert_eq!(repo.text("agent/AGENTS.md"), "Be kind.\n");
    assert!(left(&document, "QWEN.md")[0].contains("differs from .github/copilot-instructions.md"), "{document:#}");
    assert!(document.to_string().contains("GitHub Copilot reads AGENTS.md, too"), "{document:#}");
}

/// The files of every tool are imported or named.
#[test]
fn names_the_files_of_tools_that_it_does_not_read() {
    let repo = Repo::empty();
    repo.write(".claude/skills/a/SKILL.md", document("a"));
    let server = r#"{"command": "db"}"#;
    repo.write(".amp/settings.json", format!(r#"{{"amp.mcpServers": {{"db": {server}}}}}"#));
    repo.write(".kiro/settings/mcp.json", format!(r#"{{"mcpServers": {{"db": {server}}}}}"#));
    let others = [(".github/hooks/x.json", ".github/hooks"), (".kiro/specs/x.md", ".kiro/specs")];
    for (path, _) in others {
        repo.write(path, if path.ends_with(".json") { "{}\n" } else { "x\n" });
    }
    repo.write(".goose/agents/x.md", "x\n");
    repo.write(".github/workflows/ci.yml", "on: push\n");
    let document = take_over(&repo);
    for (_, path) in others {
        assert_eq!(left(&document, path), ["canonry does not import this kind of file"], "{path}: {document:#}");
    }
    assert!(left(&document, ".goose/agents")[0].contains("canonry writes no subagents for this tool"), "{document:#}");
    assert!(!document.to_string().contains("ci.yml") && !document.to_string().contains(".github/workflows"));
    assert!(repo.text("agent/canonry.yaml").contains("  amp: {mcp: true}\n"));
    assert!(repo.text("agent/canonry.yaml").contains("  kiro: {mcp: true}\n"));
}

#[test]
fn the_list_of_skills_of_agentic_stack_is_named_with_what_is_lost() {
    let repo = Repo::empty();
    repo.write(".agent/memory/semantic/LESSONS.md", "# Lessons\n");
    repo.write(".agent/skills/deploy/SKILL.md", "# Deploy\n\nDo it.\n");
    repo.write(".agent/skills/_index.md", "# Skills\n");
    repo.write(
        ".agent/skills/notes/SKILL.md",
        "---\nname: notes\ndescription: Writes notes.\ntriggers: [note]\nmetadata:\n  owner: me\n---\n# Notes\n",
    );
    let deploy = r#"{"name": "deploy", "version": "2", "description": "Ships it.", "triggers": ["ship", "go live"], "tools": [], "constraints": ["not on Friday", "never run: rm -rf"], "mood": "calm"}"#;
    let notes = r#"{"name": "notes", "triggers": ["other"], "category": "ops"}"#;
    repo.write(".agent/skills/_manifest.jsonl", format!("{deploy}\n{notes}\n"));
    let document = json(&repo, &["--from", "agentic-stack"], 0);
    assert_eq!(
        repo.text("agent/skills/deploy/SKILL.md"),
        "---\nname: deploy\ndescription: \"Ships it.\"\nmetadata:\n  triggers: \"ship, go live\"\n  constraints: \"not on Friday; never run: rm -rf\"\n  version: \"2\"\n---\n\n# Deploy\n\nDo it.\n"
    );
    assert!(repo.text("agent/skills/notes/SKILL.md").contains("metadata:\n  category: \"ops\"\n  owner: me\n---\n"));
    let said = changes(&document, "agent/skills/deploy");
    assert!(
        said.contains("added `triggers`, `constraints`, `version` from the list of skills to its `metadata`"),
        "{said}"
    );
    assert_eq!(
        left(&document, ".agent/skills/_manifest.jsonl"),
        ["canonry generates its own list of skills, which has no `mood`"]
    );
    assert_eq!(left(&document, ".agent/skills/_index.md"), ["canonry generates its own list of skills"]);
    repo.canonry(&["skills", "index"]).expect(0);
    assert!(repo.text("agent/skills/_manifest.jsonl").contains(r#""triggers":["ship","go live"]"#));
}

/// A canon that stays where it is has nothing to import.
#[test]
fn the_list_of_skills_of_agentic_stack_stays_if_its_folder_is_the_canon() {
    let repo = Repo::empty();
    repo.write("canonry.yaml", "root: .agent\ntargets: [claude]\n");
    repo.write(".agent/AGENTS.md", "# Ours\n");
    repo.write(".agent/memory/semantic/LESSONS.md", "# Lessons\n");
    repo.write(".agent/skills/deploy/SKILL.md", document("deploy"));
    let lists = [
        (".agent/skills/_index.md", "# Skills\n\nOurs.\n"),
        (".agent/skills/_manifest.jsonl", "{\"name\": \"deploy\", \"triggers\": [\"ship\"]}\n"),
    ];
    for (path, text) in lists {
        repo.write(path, text);
    }
    repo.commit_all("before");
    for (args, status) in [
        (&["import"][..], 0),
        (&["init", "--all"], 0),
        (&["sync"], 0),
        (&["sync", "--force"], 0),
        (&["skills", "index"], 5),
    ] {
        let ran = repo.canonry(args).expect(status);
        assert!(
            status == 0
                || ran.stderr.contains("canonry did not write this file")
                || ran.stdout.contains("canonry did not write this file"),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
        for (path, text) in lists {
            assert_eq!(repo.text(path), text, "{args:?}");
        }
    }
    repo.check(&[]).expect(0).says_nothing_of(&["registry-stale"]);
}

/// Each in its own form, with its own placeholders.
#[test]
fn commands_of_other_tools_are_imported_and_written_again() {
    let repo = Repo::empty();
    repo.write(
        ".github/prompts/new-form.prompt.md",
        "---\nmode: agent\nmodel: GPT\ndescription: A form\n---\n\nAsk for ${input:name:MyForm} and use ${selection}.\n",
    );
    repo.write(".github/prompts/move.prompt.md", "---\nmode: agent\n---\nMove ${input:from} to ${input:to}.\n");
    repo.write(
        ".opencode/commands/team/review.md",
        "---\ndescription: R\nagent: build\nmodel: a/b\n---\n\nReview $ARGUMENTS.\n",
    );
    repo.write(".opencode/command/old.md", "Old.\n");
    repo.write(".qwen/commands/fix.md", "---\ndescription: F\n---\n\nFix {{args}} after !{git diff}.\n");
    repo.write(".qwen/commands/same.md", "---\ndescription: S\n---\n\nSame.\n");
    repo.write(".opencode/commands/same.md", "---\ndescription: S\n---\n\nSame.\n");
    repo.write(".clinerules/workflows/release.md", "Release it.\n");
    repo.write(".clinerules/style.md", "# Style\n");
    let document = take_over(&repo);
    let form = repo.text("agent/commands/new-form.md");
    assert_eq!(form, "---\ntargets: [copilot]\ndescription: A form\n---\n\nAsk for $ARGUMENTS and use ${selection}.\n");
    let said = changes(&document, "agent/commands/new-form.md");
    for words in [
        "removed `mode`, `model`, which only GitHub Copilot reads",
        "replaced `${input:name}` with `$ARGUMENTS`",
        "kept `${selection}`, which only GitHub Copilot replaces",
    ] {
        assert!(said.contains(words), "{said}");
    }
    assert_eq!(
        repo.text("agent/commands/move.md"),
        "---\ntargets: [copilot]\n---\n\nMove ${input:from} to ${input:to}.\n"
    );
    assert!(
        changes(&document, "agent/commands/move.md")
            .contains("kept `${input:from}`, `${input:to}`, which only GitHub Copilot")
    );
    let said = changes(&document, "agent/commands/team/review.md");
    assert!(said.contains("removed `agent`, `model`, which only OpenCode reads"), "{said}");
    assert!(repo.text("agent/commands/fix.md").ends_with("Fix $ARGUMENTS after !`git diff`.\n"));
    assert!(repo.text("agent/commands/same.md").starts_with("---\ntargets: [opencode, qwen]\n"));
    assert!(document["next"].to_string().contains("remove .opencode/command once `canonry sync`"), "{document:#}");
    assert_eq!(repo.text("agent/commands/release.md"), "---\ntargets: [cline]\n---\n\nRelease it.\n");
    assert!(!repo.exists("agent/rules/workflows"));
    let config = repo.text("agent/canonry.yaml");
    for line in ["  copilot: {commands: true}\n", "  opencode: {commands: true}\n", "  qwen: {commands: true}\n"] {
        assert!(config.contains(line), "{config}");
    }
    let prompt = repo.text(".github/prompts/new-form.prompt.md");
    assert!(
        prompt.contains("description: \"A form\"") && prompt.contains("${input:arguments} and use ${selection}"),
        "{prompt}"
    );
    assert!(repo.text(".opencode/commands/team/review.md").contains("Review $ARGUMENTS."));
    assert!(repo.text(".qwen/commands/fix.md").contains("Fix $ARGUMENTS after (run `git diff`"));
}

/// Without its agent, a command of OpenCode may do what the agent may not.
#[test]
fn a_command_with_limits_of_its_own_stays_as_it_is() {
    let repo = Repo::empty();
    let files = [
        (".opencode/commands/plan.md", "---\ndescription: P\nagent: plan\n---\n\nPlan it.\n", "`agent`"),
        (".github/prompts/ask.prompt.md", "---\nmode: ask\n---\nExplain it.\n", "`mode`"),
        (".github/prompts/find.prompt.md", "---\ntools: ['search']\n---\nFind it.\n", "`tools`"),
    ];
    files.iter().for_each(|(path, text, _)| repo.write(path, text));
    repo.write(".opencode/commands/go.md", "---\ndescription: G\nagent: build\n---\n\nGo.\n");
    let document = take_over(&repo);
    for (path, text, key) in files {
        assert_eq!(repo.text(path), text);
        assert!(left(&document, path)[0].starts_with(&format!("its {key} limits what it may do")), "{document:#}");
    }
    assert_eq!(repo.text(".opencode/commands/go.md"), "---\ndescription: \"G\"\n---\n\nGo.\n");
}

/// Sync writes both under other names, and the tools read the old files too.
#[test]
fn files_that_the_tools_would_read_twice_are_named() {
    let repo = Repo::empty();
    for name in ["a_b", "b_c", "c_d", "d_e"] {
        repo.write(&format!(".claude/skills/{name}/SKILL.md"), document(&name.replace('_', "-")));
    }
    let document = json(&repo, &[], 0);
    let step = document["next"].to_string();
    let want = "remove .claude/skills/a_b, .claude/skills/b_c, .claude/skills/c_d and 1 more that the report names once `canonry sync`";
    assert!(step.contains(want), "{step}");
    repo.sync(&[]).expect(0);
    assert!(repo.exists(".claude/skills/a-b/SKILL.md"));
    let repo = Repo::empty();
    repo.write(".github/agents/x.md", "---\nname: x\ndescription: D.\n---\n\nReview it.\n");
    repo.write(".github/agents/y.agent.md", "---\nname: y\ndescription: D.\n---\n\nTest it.\n");
    let document = take_over(&repo);
    assert!(document["next"].to_string().contains("remove .github/agents/x.md once `canonry sync`"), "{document:#}");
    assert!(repo.exists(".github/agents/x.agent.md"));
}

/// The names of models are those of Claude Code, but the file is Factory's.
#[test]
fn each_tool_keeps_the_model_of_its_subagent() {
    let repo = Repo::empty();
    let own = |model: &str| format!("---\nname: x\ndescription: D.\nmodel: {model}\n---\n\nReview it.\n");
    repo.write(".claude/agents/x.md", own("opus"));
    repo.write(".factory/droids/x.md", own("sonnet"));
    repo.write(".cursor/agents/x.md", own("inherit"));
    take_over(&repo);
    assert!(repo.text("agent/agents/x.md").contains("models: {factory: \"sonnet\"}\n"));
    assert!(repo.text(".factory/droids/x.md").contains("model: \"sonnet\"\n"));
    assert_eq!(repo.text(".claude/agents/x.md"), own("opus"));
}

/// Without `targets`, sync makes folders for five tools.
#[test]
fn an_import_without_skills_chooses_the_tools_of_the_repository() {
    let repo = Repo::empty();
    repo.write(".gemini/settings.json", r#"{"mcpServers": {"db": {"command": "db"}}}"#);
    repo.write(".kiro/steering/tech.md", "# Rust\n");
    take_over(&repo);
    let config = repo.text("agent/canonry.yaml");
    assert!(config.contains("targets: [") && !config.contains("claude") && !config.contains("codex"), "{config}");
}

#[test]
fn files_that_are_no_commands_of_a_tool_are_named() {
    let repo = Repo::empty();
    repo.write(".github/prompts/README.md", "# Prompts\n");
    repo.write(".qwen/commands/fs/grep.toml", "prompt = \"Find {{args}}.\"\n");
    repo.write(".opencode/commands/grep.toml", "prompt = \"Find {{args}}.\"\n");
    let document = json(&repo, &[], 0);
    assert_eq!(left(&document, ".opencode/commands/grep.toml"), ["OpenCode reads only `.md` files there"]);
    assert!(
        document["next"].to_string().contains("remove .qwen/commands/fs/grep.toml once `canonry sync`"),
        "{document:#}"
    );
    assert_eq!(left(&document, ".github/prompts/README.md"), ["GitHub Copilot reads only `.prompt.md` files there"]);
    assert!(repo.text("agent/commands/fs/grep.md").contains("Find $ARGUMENTS."));
}

/// The second one stays where it is, and no sync changes it.
#[test]
fn two_files_of_one_name_that_differ_are_both_kept() {
    let repo = Repo::empty();
    let files = [
        (".claude/rules/style.md", "# Style\n\nTabs.\n"),
        (".cursor/rules/style.mdc", "---\nglobs: *.ts\n---\n\n# Style\n\nSpaces.\n"),
        (".claude/commands/go.md", "Go left.\n"),
        (".cursor/commands/go.md", "Go right.\n"),
    ];
    for (path, text) in files {
        repo.write(path, text);
    }
    repo.commit_all("before");
    let ran = repo.canonry(&["import"]).expect(5);
    ran.says(&[
        "refused   .cursor/rules/style.mdc -> agent/rules/style.md: it differs from .claude/rules/style.md, which was imported\n",
        "refused   .cursor/commands/go.md -> agent/commands/go.md: it differs from .claude/commands/go.md, which was imported\n",
        "Merge them by hand, or rename the file and import again",
    ]);
    assert!(repo.text("agent/rules/style.md").starts_with("---\ntargets: [claude]\n"));
    repo.sync(&[]).expect(0);
    repo.sync(&["--force"]).expect(0);
    for (path, text) in files.into_iter().filter(|(path, _)| path.starts_with(".cursor")) {
        assert_eq!(repo.text(path), text, "{path}");
    }
    // A new name is imported as well.
    repo.git(&["mv", ".cursor/rules/style.mdc", ".cursor/rules/spaces.mdc"]);
    repo.git(&["mv", ".cursor/commands/go.md", ".cursor/commands/right.md"]);
    json(&repo, &[], 0);
    assert!(repo.text("agent/rules/spaces.md").contains("targets: [cursor]") && repo.exists("agent/commands/right.md"));
    repo.commit_all("take over");
    repo.sync(&[]).expect(0);
    repo.canonry(&["check"]).expect(0);
}

#[test]
fn an_ignore_file_of_code_assist_is_written_again() {
    let repo = Repo::empty();
    repo.write(".aiexclude", "secret/\n");
    json(&repo, &[], 0);
    let config = repo.text("agent/canonry.yaml");
    assert!(config.contains("  gemini: {aiexclude: true}\n"), "{config}");
}
