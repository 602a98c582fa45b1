//! Every file of a tool is imported, skipped with a reason, or refused.

use crate::import::{json, left};
use crate::support::repo::{Repo, document};

/// Files that an import does not read, and words of the reason.
const FILES: [(&str, &str, &str); 13] = [
    ("packages/api/AGENTS.md", "packages/api/AGENTS.md", "one directory"),
    ("packages/api/CLAUDE.md", "packages/api/CLAUDE.md", "one directory"),
    ("docs/GEMINI.md", "docs/GEMINI.md", "one directory"),
    ("packages/api/.cursor/rules/a.mdc", "packages/api/.cursor/rules", "one directory"),
    (".codex/rules/default.rules", ".codex/rules/default.rules", "permissions"),
    (".codex/prompts/p.md", ".codex/prompts", "skills instead"),
    (".gemini/policies/p.toml", ".gemini/policies", "permissions"),
    ("packages/api/.geminiignore", "packages/api/.geminiignore", "ignore"),
    (".claude/settings.local.json", ".claude/settings.local.json", "personal"),
    (".claude/output-styles/a.md", ".claude/output-styles", "does not import"),
    (".claude/hooks/a.sh", ".claude/hooks", "hooks run it"),
    ("CLAUDE.local.md", "CLAUDE.local.md", "personal"),
    ("AGENTS.override.md", "AGENTS.override.md", "instead of AGENTS.md"),
];

#[test]
fn names_every_file_that_stays() {
    let repo = Repo::empty();
    repo.write("AGENTS.md", "# The project\n");
    for (path, ..) in FILES {
        repo.write(path, "x\n");
    }
    repo.write("packages/api/.claude/skills/x/SKILL.md", document("x"));
    repo.write("packages/api/.claude/skills/y/SKILL.md", document("y"));
    repo.write("node_modules/x/AGENTS.md", "# Not ours\n");
    repo.write(".gitignore", "node_modules/\n");
    let document = json(&repo, &["--from", "tools"], 0);
    for (_, path, words) in FILES {
        let reasons = left(&document, path);
        assert!(reasons.len() == 1 && reasons[0].contains(words), "{path}: {reasons:?} in {document:#}");
    }
    assert_eq!(left(&document, "packages/api/.claude/skills").len(), 1);
    assert!(!document.to_string().contains("node_modules"));
}

#[test]
fn does_not_name_what_sync_wrote() {
    let repo = Repo::with_skills(&["alpha"]);
    repo.write("agent/AGENTS.md", "# The project\n");
    repo.write(
        "agent/protocols/permissions.md",
        "# Permissions\n\n## Always allowed\n\n- `git status`\n\n## Requires approval\n\n- `git push`\n\n## Never allowed\n\n- `rm -rf`\n",
    );
    repo.write(
        "agent/canonry.yaml",
        "targets: [claude]\nfiles: {cursor: {context: true, permissions: true}, codex: {permissions: true}}\n",
    );
    repo.sync(&[]).expect(0);
    repo.write("CLAUDE.md", "# Mine\n");
    let document = json(&repo, &["--from", "tools"], 5);
    assert_eq!(document["left"], serde_json::json!([]), "{document:#}");
}

#[test]
fn names_what_another_manager_generated() {
    let repo = Repo::empty();
    repo.write(".rulesync/rules/overview.md", "---\nroot: true\n---\n# The project\n");
    repo.write(".claude/rules/style.md", "# Style\n");
    repo.write(".cursor/rules/style.mdc", "# Style\n");
    repo.write(".codex/agents/x.toml", "name = \"x\"\n");
    repo.write("CLAUDE.md", "# The project\n");
    repo.write(".rulesync/.aiignore", "# Nothing yet.\n");
    let ran = repo.canonry(&["import"]).expect(0);
    ran.says(&[
        "skipped   .rulesync/.aiignore",
        "the tools also have .claude/rules, .codex/agents, .cursor/rules",
        "for example rules next to the same text in AGENTS.md",
        "rulesync generated from CLAUDE.md",
    ]);
}

#[test]
fn a_script_in_a_mirror_is_named_as_such() {
    let repo = Repo::synced(&["alpha"]);
    repo.write(".claude/skills/alpha/own.sh", "#!/bin/sh\n");
    repo.write(".claude/skills/alone/notes.md", "Notes.\n");
    let document = json(&repo, &["--from", "tools"], 0);
    let reasons = left(&document, ".claude/skills/alpha");
    assert!(
        reasons.len() == 1 && reasons[0].contains("own mirror of a skill, and sync did not write `own.sh`"),
        "{reasons:?}"
    );
    assert!(left(&document, ".claude/skills/alone")[0].contains("no SKILL.md"));
}

#[test]
fn says_that_a_tool_has_ended_and_imports_its_skills() {
    let repo = Repo::empty();
    repo.write("agent/AGENTS.md", "# Map\n");
    repo.write(".roo/skills/notes/SKILL.md", document("notes"));
    repo.commit_all("roo");
    repo.canonry(&["import"])
        .says(&["Roo Code ended in May 2026", "remove `.roo`"])
        .says_nothing_of(&["Continue ended"]);
    assert_eq!(repo.text("agent/skills/notes/SKILL.md"), document("notes"));
}
