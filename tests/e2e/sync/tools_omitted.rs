//! A part that a tool cannot get is reported alike by `check` and `sync`, and can be accepted.

use crate::support::repo::Repo;
use crate::sync::tools::{SERVERS, config};

fn with_omissions(accepted: &str) -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/mcp.json", SERVERS);
    repo.write("agent/commands/tag.md", "Tag $1.\n");
    config(
        &repo,
        &format!("  claude: {{mcp: true}}\n  gemini: {{commands: true}}\n  antigravity: {{mcp: true}}\n{accepted}"),
    );
    repo
}

#[test]
fn check_and_sync_agree_on_an_omission() {
    let repo = with_omissions("");
    let ran = repo.sync(&[]).expect(1).says(&["`antigravity/mcp/db`", "`gemini/commands/tag`"]);
    let all = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(all.matches("`db` is not written for Antigravity").count(), 1, "{all}");
    repo.sync(&["--check"]).expect(1);
    repo.check(&[]).expect(1).says(&["tool-file-omitted", "`antigravity/mcp/db`", "files.accept_omitted"]);
    repo.commit_all("all");
    repo.check(&["--rev", "HEAD"]).expect(1).says(&["tool-file-omitted"]);
    repo.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
    repo.check(&["--staged"]).expect(1).says(&["tool-file-omitted"]);
}

#[test]
fn an_accepted_omission_is_silent_everywhere() {
    for accepted in ["[antigravity/mcp/db, gemini/commands/tag]", "[\"antigravity/mcp/*\", \"gemini/commands/*\"]"] {
        let repo = with_omissions(&format!("  accept_omitted: {accepted}\n"));
        repo.sync(&[]).expect(0);
        assert!(repo.exists(".mcp.json") && !repo.exists(".gemini/commands/tag.toml"));
        repo.sync(&["--check"]).expect(0);
        repo.check(&[]).expect(0);
        repo.commit_all("all");
        repo.check(&["--rev", "HEAD"]).expect(0);
        repo.check(&["--staged"]).expect(0);
    }
}

#[test]
fn an_invalid_file_cannot_be_accepted() {
    let repo = with_omissions("  accept_omitted: [\"antigravity/mcp/*\", \"claude/mcp/*\", \"gemini/commands/*\"]\n");
    repo.sync(&[]).expect(0);
    repo.write("agent/mcp.json", "{");
    repo.sync(&["--check"]).expect(1);
    repo.check(&[]).expect(1).says(&["tool-file-omitted", "not valid JSON"]);
    config(&repo, "  accept_omitted: [everything]\n");
    repo.sync(&[]).expect(65).says(&["accept_omitted"]);
}

#[test]
fn marks_of_a_block_in_the_canon_are_reported_by_both() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/AGENTS.md", "# A\n");
    config(&repo, "  agents: {context: map}\n");
    repo.sync(&[]).expect(0);
    repo.write("agent/AGENTS.md", "# A\n\n<!-- >>> canonry >>> -->\n");
    repo.sync(&[]).expect(1);
    repo.check(&[]).expect(1).says(&["tool-file-omitted", "markers of a canonry block"]);
}

#[test]
fn each_tool_gets_its_own_model_of_a_subagent() {
    let repo = Repo::with_skills(&["alpha"]);
    let agent = |models: &str| {
        format!(
            "---\nname: reviewer\ndescription: Reviews. Use before a merge.\nmodel: opus\nmodels: {models}\n---\n\nReview.\n"
        )
    };
    repo.write("agent/agents/reviewer.md", agent("{cursor: fast, codex: gpt-x, gemini: \"g: 1\"}"));
    let on = ["claude", "cursor", "codex", "gemini", "copilot"].map(|tool| format!("  {tool}: {{subagents: true}}\n"));
    config(&repo, &on.concat());
    repo.sync(&[]).expect(0);
    for (path, line) in [
        (".claude/agents/reviewer.md", "\nmodel: opus\n"),
        (".cursor/agents/reviewer.md", "\nmodel: \"fast\"\n"),
        (".codex/agents/reviewer.toml", "\nmodel = \"gpt-x\"\n"),
        (".gemini/agents/reviewer.md", "\nmodel: \"g: 1\"\n"),
    ] {
        assert!(repo.text(path).contains(line), "{path}: {}", repo.text(path));
    }
    let copilot = repo.tree_of(&[".github/agents"]).into_keys().find(|path| path.contains("reviewer")).unwrap();
    assert!(!repo.text(&copilot).contains("model"));
    repo.check(&[]).expect(0);
    // A misspelt tool and Claude Code, whose key is `model`.
    repo.write("agent/agents/reviewer.md", agent("{cursr: fast, claude: opus}"));
    repo.sync(&[]).expect(1).says(&["`models` names `cursr`", "whose model is the key `model`"]);
}

#[test]
fn many_lost_restrictions_are_counted_and_check_lists_them() {
    let repo = Repo::with_skills(&["alpha"]);
    let denied: String = (0..9).map(|at| format!("- Edit: `secret{at}/**`\n")).collect();
    let page = format!("# Permissions\n\n## Requires approval\n\n- Edit: `docs/**`\n\n## Never allowed\n\n{denied}");
    repo.write("agent/protocols/permissions.md", page);
    config(&repo, "  codex: {permissions: true}\n");
    let ran = repo.sync(&[]).expect(1).says(&[
        "Codex has no setting for 9 denials and 1 question, such as \"deny editing secret0/**\", ",
        "`canonry check --select tool-file-omitted` lists all",
    ]);
    ran.says_nothing_of(&["secret8", "docs/**"]);
    let listed = repo.check(&["--select", "tool-file-omitted", "--format", "concise"]).expect(1);
    listed.says(&["\"deny editing secret8/**\", \"ask before editing docs/**\""]);
}
