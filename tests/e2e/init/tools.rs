//! `init` connects the tools in use, so that the first sync gives them more than skills.

use crate::init::{assert_clean, json, paths};
use crate::support::repo::Repo;

fn files_of(repo: &Repo) -> String {
    let config = repo.text("agent/canonry.yaml");
    config.split("\nfiles:\n").nth(1).unwrap_or_default().split("\n\n").next().unwrap_or_default().to_owned()
}

#[test]
fn connects_the_tools_whose_files_the_repository_has() {
    let repo = Repo::empty();
    repo.write("CLAUDE.md", "# Ours\n");
    repo.write(".codex/config.toml", "model = \"x\"\n");
    repo.canonry(&["init", "--all"]).expect(0).says(&[
        "on        agents: context\n",
        "on        claude: context, permissions, hooks\n",
        "on        codex: permissions, hooks\n",
    ]);
    assert!(!files_of(&repo).contains("gemini"), "{}", files_of(&repo));
    repo.sync(&[]).expect(0).says(&["review the hooks with `/hooks`"]).says_nothing_of(&["gemini    reads"]);
    assert!(repo.text("CLAUDE.md").starts_with("# Ours\n") && repo.text("CLAUDE.md").contains("@AGENTS.md"));
    assert!(repo.text("AGENTS.md").contains("agent/policies/WORKFLOW.md"));
    for path in [".claude/settings.json", ".codex/hooks.json"] {
        assert!(repo.text(path).contains("canonry hook"), "{path}");
    }
    assert!(repo.exists(".codex/rules/canonry.rules") && !repo.exists("GEMINI.md"));
    repo.sync(&["--check"]).expect(0);
    assert_clean(&repo);
    repo.append("agent/AGENTS.md", "More.\n");
    repo.sync(&[]).expect(0).says_nothing_of(&["/hooks"]);
}

#[test]
fn a_linked_context_file_stays_as_it_is() {
    let repo = Repo::empty();
    repo.write(".agents/AGENTS.md", "# Ours\n");
    repo.link("AGENTS.md", ".agents/AGENTS.md");
    repo.link("CLAUDE.md", "AGENTS.md");
    repo.canonry(&["init", "--all"]).expect(0).says(&["off       context (agents, claude): the file is a link"]);
    repo.sync(&["--commit"]).expect(0);
    assert_clean(&repo);
}

#[test]
fn two_targets_reach_most_tools_if_none_is_found() {
    let repo = Repo::empty();
    repo.canonry(&["init", "--all"])
        .expect(0)
        .says(&["targets   .claude/skills, .agents/skills\n", "on        claude:"]);
    assert!(repo.text("agent/canonry.yaml").contains("\ntargets: [claude, agents]\n"));
    repo.sync(&["--commit"]).expect(0);
    assert!(!repo.exists(".gemini") && !repo.exists(".cursor") && !repo.exists(".codex"));
    assert_clean(&repo);
}

#[test]
fn connects_tools_of_the_user_if_the_repository_has_none() {
    let repo = Repo::empty();
    std::fs::create_dir_all(repo.home().join(".cursor")).unwrap();
    repo.canonry(&["init", "--all"])
        .expect(0)
        .says(&["on        cursor: permissions, hooks"])
        .says_nothing_of(&["claude: "]);
}

#[test]
fn connects_the_named_tools_only() {
    let repo = Repo::empty();
    repo.write("GEMINI.md", "# Ours\n");
    repo.canonry(&["init", "--all", "--tools", "claude,cursor"]).expect(0).says_nothing_of(&["gemini"]);
    // Cursor reads the mirror of Claude Code.
    assert!(repo.text("agent/canonry.yaml").contains("\ntargets: [claude]\n"));
    repo.sync(&[]).expect(0);
    assert!(!repo.exists(".gemini") && repo.exists(".cursor/hooks.json"));
    let other = Repo::empty();
    other.canonry(&["init", "--tools", "vim"]).expect(64).says(&["expected one of claude, gemini, cursor"]);
    assert!(!other.exists("agent"));
}

#[test]
fn parts_connect_the_tools_to_themselves_only() {
    let keys = |parts: &str| {
        let repo = Repo::empty();
        repo.write("CLAUDE.md", "# Ours\n");
        paths(&json(&repo, &["--with", parts], 0), "switched_on")
    };
    assert_eq!(keys("skills"), [""; 0]);
    assert_eq!(keys("workflow,memory"), [""; 0]);
    assert_eq!(keys("instructions"), ["files.agents.context", "files.claude.context"]);
    assert_eq!(keys("hooks"), ["files.claude.permissions", "files.claude.hooks"]);
}

#[test]
fn existing_sources_switch_on_what_they_are_for() {
    let repo = Repo::empty();
    repo.write(".claude/settings.json", "{}\n");
    repo.write("agent/mcp.json", "{\"mcpServers\": {}}\n");
    repo.write("agent/commands/go.md", "Go.\n");
    repo.canonry(&["init", "--all"])
        .expect(0)
        .says(&["on        claude: context, permissions, hooks, mcp, commands\n"]);
    repo.sync(&[]).expect(0);
    assert!(repo.exists(".claude/commands/go.md"));
}

/// Nobody asked for files that a tool can only get in part.
#[test]
fn a_tool_that_would_lose_a_part_is_not_switched_on_for_it() {
    let repo = Repo::empty();
    repo.write(
        "agent/mcp.json",
        "{\"mcpServers\": {\"db\": {\"command\": \"db-server\", \"env\": {\"DB_URL\": \"${DB_URL}\"}}}}\n",
    );
    repo.write(
        "agent/agents/reviewer.md",
        "---\nname: reviewer\ndescription: Reviews changes.\ntools: Read, Grep\n---\n\nReview the change.\n",
    );
    let tools = "claude,gemini,cursor,codex,antigravity";
    repo.canonry(&["init", "--all", "--tools", tools]).expect(0).says(&["cannot express all of it"]);
    assert!(files_of(&repo).contains("mcp: true"), "{}", files_of(&repo));
    repo.sync(&[]).expect(0);
    let check = repo
        .check(&["--min-severity", "info"])
        .expect(0)
        .says(&["☞ [tool-file-omitted] Codex: `sandbox_mode = \"read-only\"`"]);
    assert_eq!(check.stdout.matches("[tool-file-omitted]").count(), 1, "{}", check.stdout);
}

#[test]
fn existing_config_is_kept_and_what_it_leaves_off_is_listed() {
    let repo = Repo::empty();
    let config = "targets: [claude]\nfiles: {claude: {context: import}}\n";
    repo.write("agent/canonry.yaml", config);
    repo.write("CLAUDE.md", "# Ours\n");
    let document = json(&repo, &["--all", "--dry-run"], 0);
    assert_eq!(paths(&document, "switched_on"), [""; 0]);
    repo.canonry(&["init", "--all"]).expect(0).says(&["add to the config to connect the tools", "hooks: true"]);
    assert_eq!(repo.text("agent/canonry.yaml"), config);
}
