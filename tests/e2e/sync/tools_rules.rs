//! The scope of a policy in the rule files of Cursor and Antigravity, and in AGENTS.md.

use crate::support::repo::Repo;
use crate::sync::tools::config;

#[test]
fn a_scope_reaches_each_tool() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/AGENTS.md", "# All\n");
    let policy = |name: &str, head: &str| {
        repo.write(&format!("agent/policies/{name}.md"), format!("---\n{head}---\n\n# {name}\n"));
    };
    policy("always", "alwaysApply: true\n");
    policy("files", "description: \"Use: it\"\nglobs: [\"src/**/*.{ts,tsx}\", \"*.js\"]\nalwaysApply: false\n");
    policy("agent", "description: When asked\n");
    policy("manual", "alwaysApply: false\n");
    repo.write("agent/policies/plain.md", "# Plain\n");
    config(&repo, "  agents: {context: full}\n  cursor: {context: true}\n  antigravity: {context: true}\n");
    repo.sync(&[]).expect(0);
    for (name, cursor, antigravity) in [
        ("always", "alwaysApply: true\n", "trigger: always_on\n"),
        (
            "files",
            "description: Use: it\nglobs: src/**/*.{ts,tsx},*.js\nalwaysApply: false\n",
            "trigger: glob\ndescription: Use it\nglobs: src/**/*.{ts,tsx},*.js\n",
        ),
        (
            "agent",
            "description: When asked\nalwaysApply: false\n",
            "trigger: model_decision\ndescription: When asked\n",
        ),
        ("manual", "alwaysApply: false\n", "trigger: manual\n"),
        ("plain", "description: Plain\nalwaysApply: false\n", "trigger: model_decision\ndescription: Plain\n"),
    ] {
        let title = if name == "plain" { "Plain" } else { name };
        let text = |head: &str| format!("---\n{head}---\n\n# {title}\n");
        assert_eq!(repo.text(&format!(".cursor/rules/canonry-{name}.mdc")), text(cursor));
        assert_eq!(repo.text(&format!(".agents/rules/canonry-{name}.md")), text(antigravity));
    }
    let text = repo.text("AGENTS.md");
    assert!(text.contains("> For files: `src/**/*.{ts,tsx}`, `*.js`. Use: it\n\n# files\n"), "{text}");
    assert!(text.contains("> When asked\n\n# agent\n") && text.contains("\n# always\n"), "{text}");
    assert!(!text.contains("# manual") && !text.contains("alwaysApply"), "{text}");
    repo.check(&[]).expect(0);
}

#[test]
fn a_page_goes_only_to_its_targets() {
    let repo = Repo::with_skills(&["alpha"]);
    let on = "{rules: true, commands: true, subagents: true}";
    repo.write("agent/canonry.yaml", format!("targets: [claude, cursor]\nfiles:\n  claude: {on}\n  cursor: {on}\n"));
    repo.write("agent/rules/only.md", "---\ntargets: [cursor]\n---\n\n# Only\n");
    repo.write("agent/commands/tag.md", "---\ndescription: Tag\ntargets: claude\n---\n\nTag it.\n");
    repo.write("agent/agents/x.md", "---\nname: x\ndescription: D.\ntargets: [cursor]\n---\n\nX.\n");
    repo.sync(&[]).expect(0);
    for (path, is_there) in [
        (".cursor/rules/only.mdc", true),
        (".claude/rules/only.md", false),
        (".cursor/commands/tag.md", false),
        (".claude/commands/tag.md", true),
        (".cursor/agents/x.md", true),
        (".claude/agents/x.md", false),
    ] {
        assert_eq!(repo.exists(path), is_there, "{path}");
    }
    // Without a scope it applies always, as any rule.
    assert_eq!(repo.text(".cursor/rules/only.mdc"), "---\nalwaysApply: true\n---\n\n# Only\n");
    repo.check(&[]).expect(0).says_nothing_of(&["mirror-", "unknown"]);
    // A misspelt name changes nothing.
    repo.write("agent/commands/tag.md", "---\ndescription: Tag\ntargets: cluade\n---\n\nTag it.\n");
    repo.sync(&[]).expect(1).says(&["`targets` names an unknown tool: `cluade`"]);
    assert!(repo.exists(".claude/commands/tag.md"));
}

/// A tool that loads the root `AGENTS.md` gets no second copy of the rules in it that always apply.
#[test]
fn a_rule_that_always_applies_reaches_each_tool_once() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/AGENTS.md", "# All\n");
    repo.write("agent/rules/always.md", "# Always\n");
    repo.write("agent/rules/api.md", "---\nglobs: [\"src/api/**\"]\n---\n\n# Api\n");
    repo.write("agent/rules/own.md", "---\ntargets: [claude, cursor]\n---\n\n# Own\n");
    let with = |claude: &str, agents: &str| {
        config(
            &repo,
            &format!(
                "  claude: {{context: {claude}, rules: true}}\n  cursor: {{rules: true}}\n  agents: {{{agents}}}\n"
            ),
        );
        repo.sync(&[]).expect(0);
        repo.sync(&["--check"]).expect(0);
        ["always", "api", "own"].map(|rule| {
            (repo.exists(&format!(".claude/rules/{rule}.md")), repo.exists(&format!(".cursor/rules/{rule}.mdc")))
        })
    };
    assert_eq!(with("import", "context: map"), [(true, true), (true, true), (true, true)]);
    // `api` is in the AGENTS.md of its folder.
    assert_eq!(with("import", "context: map, rules: true"), [(false, false), (true, true), (true, true)]);
    // CLAUDE.md then imports agent/AGENTS.md, which has no rules.
    assert_eq!(with("import", "context: off, rules: true"), [(true, false), (true, true), (true, true)]);
    assert_eq!(with("off", "context: map, rules: true"), [(true, false), (true, true), (true, true)]);
}
