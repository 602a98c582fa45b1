//! A subagent with restrictions reaches a tool only with an equivalent restriction.

use crate::support::repo::Repo;
use crate::sync::tools::config;

const ALL: &str = "  claude: {subagents: true}\n  gemini: {subagents: true}\n  codex: {subagents: true}\n  cursor: {subagents: true}\n  antigravity: {subagents: true}\n";

fn with_subagent(keys: &str) -> Repo {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/agents/x.md", format!("---\nname: x\ndescription: D.\n{keys}---\n\nReview it.\n"));
    config(&repo, ALL);
    repo
}

#[test]
fn a_read_only_subagent_is_read_only_in_every_tool_that_gets_it() {
    let repo = with_subagent("tools: Read, Grep\npermissionMode: plan\n");
    repo.sync(&[]).expect(1).says(&[
        "`x` is not written for Antigravity",
        "`tools: Read, Grep` and `permissionMode: plan`",
        "`antigravity/subagents/x`",
    ]);
    assert_eq!(repo.read(".claude/agents/x.md"), repo.read("agent/agents/x.md"));
    assert!(repo.text(".cursor/agents/x.md").contains("\nreadonly: true\n"), "{}", repo.text(".cursor/agents/x.md"));
    assert!(repo.text(".codex/agents/x.toml").contains("sandbox_mode = \"read-only\"\n"));
    assert!(repo.text(".gemini/agents/x.md").contains("\ntools:\n  - read_file\n  - grep_search\n---\n"));
    assert!(!repo.exists(".agents/agents/x.md"));
    repo.check(&[]).expect(1).says(&["tool-file-omitted", "agent/agents/x.md"]);
}

#[test]
fn a_plan_mode_without_tools_has_only_reading_tools_in_gemini() {
    let repo = with_subagent("permissionMode: plan\n");
    repo.sync(&[]).expect(1);
    let text = repo.text(".gemini/agents/x.md");
    assert!(text.contains("  - read_file\n") && !text.contains("write") && !text.contains("shell"), "{text}");
}

#[test]
fn a_list_of_tools_is_translated_or_the_subagent_is_left_out() {
    let repo = with_subagent("tools: [Read, Bash, mcp__db__query]\n");
    repo.sync(&[]).expect(1).says(&["not written for Cursor", "not written for Codex", "not written for Antigravity"]);
    let text = repo.text(".gemini/agents/x.md");
    assert!(text.contains("tools:\n  - read_file\n  - run_shell_command\n  - mcp_db_query\n---"), "{text}");
    for gone in [".cursor/agents/x.md", ".codex/agents/x.toml", ".agents/agents/x.md"] {
        assert!(!repo.exists(gone), "{gone}");
    }
    // Gemini CLI would allow every command.
    repo.write("agent/agents/x.md", "---\nname: x\ndescription: D.\ntools: Read, Bash(git log *)\n---\n\nReview it.\n");
    repo.sync(&[]).expect(1).says(&["no equivalent of the tool `Bash(git log *)`", "removed   .gemini/agents/x.md"]);
}

#[test]
fn an_unrestricted_file_of_an_older_sync_is_removed() {
    let repo = with_subagent("");
    repo.sync(&[]).expect(0);
    assert!(repo.exists(".cursor/agents/x.md"));
    repo.write("agent/agents/x.md", "---\nname: x\ndescription: D.\ndisallowedTools: Write\n---\n\nReview it.\n");
    repo.sync(&[]).expect(1).says(&["removed   .cursor/agents/x.md"]);
    for gone in [".codex/agents/x.toml", ".agents/agents/x.md"] {
        assert!(!repo.exists(gone), "{gone}");
    }
    let gemini = repo.text(".gemini/agents/x.md");
    assert!(gemini.contains("  - read_file\n") && !gemini.contains("write_file"), "{gemini}");
}

#[test]
fn a_restriction_of_another_tool_reaches_no_tool_unread() {
    let repo = with_subagent("readonly: true\n");
    repo.sync(&[]).expect(1).says(&["`readonly` is a restriction that canonry does not know"]);
    assert!(!repo.exists(".claude/agents/x.md") && !repo.exists(".cursor/agents/x.md"));
}

#[test]
fn what_a_person_restricted_by_hand_stays() {
    let repo = with_subagent("tools: Read, Bash\n");
    let own = "---\nname: x\ndescription: D.\nreadonly: true\n---\n\nReview it.\n";
    repo.write(".cursor/agents/x.md", own);
    repo.sync(&["--force"]).expect(1);
    assert_eq!(repo.text(".cursor/agents/x.md"), own);
}

#[test]
fn a_stricter_file_of_a_person_is_not_replaced_even_by_force() {
    let repo = with_subagent("");
    let cursor = "---\nname: x\ndescription: D.\nreadonly: true\n---\n\nReview it.\n";
    let codex =
        "name = \"x\"\ndescription = \"D.\"\nsandbox_mode = \"read-only\"\ndeveloper_instructions = \"Review it.\"\n";
    repo.write(".cursor/agents/x.md", cursor);
    repo.write(".codex/agents/x.toml", codex);
    for args in [&[][..], &["--force"]] {
        repo.sync(args).expect(1).says(&[".cursor/agents/x.md stays unchanged: it has a read-only mode"]);
        assert_eq!(
            (repo.text(".cursor/agents/x.md"), repo.text(".codex/agents/x.toml")),
            (cursor.into(), codex.into())
        );
    }
    repo.check(&[]).expect(1).says(&["tool-file-omitted"]);
    repo.write("agent/agents/x.md", "---\nname: x\ndescription: D.\npermissionMode: plan\n---\n\nReview it.\n");
    repo.remove(".agents/agents/x.md");
    repo.sync(&["--force"]).expect(1).says(&["not written for Antigravity"]);
    assert!(repo.text(".cursor/agents/x.md").contains("readonly: true"));
}

/// Antigravity compares literal paths, so that a pattern would protect nothing.
#[test]
fn a_denied_pattern_is_left_to_the_hook_where_paths_are_literal() {
    const FILE: &str = ".antigravity/settings.json";
    let repo = Repo::with_skills(&["alpha"]);
    repo.write(
        "agent/protocols/permissions.md",
        "# P\n\n## Never allowed\n\n- Read: `.env*`, `keys/`, `config/secret.yaml`\n",
    );
    config(&repo, "  antigravity: {permissions: true}\n");
    let ran = repo.sync(&[]).expect(1).says(&["Antigravity has no setting for", "reading .env*", "reading keys/"]);
    let ran = ran.says(&["switch on `files.antigravity.hooks`"]).says_nothing_of(&["reading config/secret.yaml"]);
    let text = repo.text(FILE);
    assert!(text.contains("read_file(config/secret.yaml)") && !text.contains('*'), "{text}\n{}", ran.stdout);
    config(&repo, "  antigravity: {permissions: true, hooks: true}\n");
    repo.sync(&[]).expect(0).says_nothing_of(&["no setting for"]);
}

/// A file that a tool gets, although it was seen not to follow the restriction in it.
#[test]
fn a_restriction_that_does_not_hold_is_reported_until_it_is_accepted() {
    let repo = with_subagent("permissionMode: plan\n");
    config(&repo, "  claude: {subagents: true}\n  codex: {subagents: true}\n");
    let words = ["`permissionMode: plan` of a subagent does not hold (x; seen with", "accept", "codex/subagents/x"];
    repo.sync(&[]).expect(0).says(&words);
    assert!(repo.exists(".claude/agents/x.md") && repo.exists(".codex/agents/x.toml"));
    repo.check(&[]).expect(0).says(&[
        "Claude Code: `permissionMode: plan`",
        "agent/agents/x.md",
        "Codex: `sandbox_mode",
    ]);
    let accepted = "  accept_omitted: [claude/subagents/x, codex/subagents/*]\n";
    config(&repo, &format!("  claude: {{subagents: true}}\n  codex: {{subagents: true}}\n{accepted}"));
    repo.sync(&[]).expect(0).says_nothing_of(&["does not hold"]);
    repo.check(&[]).expect(0).says_nothing_of(&["does not hold"]);
}
