//! `.agent/` as agentic-stack keeps it, and `.trellis/`.

use crate::import::{assert_done, assert_kept, changes, json, left, taken};
use crate::support::repo::Repo;

const ROWS: &str = "{\"timestamp\": \"2026-04-24T12:55:41.068695\", \"skill\": \"deploy\", \"action\": \"rolled back\", \"result\": \"success\", \"detail\": \"\", \"pain_score\": 2, \"importance\": 6, \"reflection\": \"\", \"confidence\": 0.5, \"source\": {\"run_id\": \"pid-1\"}, \"evidence_ids\": []}\n{\"step\": \"8\", \"date\": \"2026-04-27\"}\n";
const PERMISSIONS: &str = "# Permissions\n\n## Always allowed (no approval)\n- Read any file.\n\n## Requires approval\n- Deploy.\n\n## Never allowed\n- Force push to `main`.\n\n## Approved external domains\n- `api.example.com`\n";

fn stack() -> Repo {
    let repo = Repo::empty();
    let write = |path: &str, text: &str| repo.write(&format!(".agent/{path}"), text);
    write("AGENTS.md", "# The brain\n\n- `memory/semantic/LESSONS.md`\n- `.agent/tools/recall.py`\n");
    write("memory/working/WORKSPACE.md", "# Workspace\n\nHalf way.\n");
    write("memory/working/REVIEW_QUEUE.md", "# Queue\n");
    write("memory/episodic/AGENT_LEARNINGS.jsonl", ROWS);
    write("memory/episodic/snapshots/2026-01.jsonl", "");
    write("memory/semantic/LESSONS.md", "# Lessons\n\n- Test before traffic.\n");
    write("memory/semantic/lessons.jsonl", "{}\n");
    write("memory/semantic/DECISIONS.md", "# Decisions\n");
    write("memory/personal/PREFERENCES.md", "# Preferences\n");
    write("memory/auto_dream.py", "pass\n");
    write("protocols/permissions.md", PERMISSIONS);
    write("protocols/delegation.md", "# Delegation\n");
    write("protocols/tool_schemas/git.schema.json", "{\"type\": \"object\"}\n");
    write("protocols/hook.py", "pass\n");
    write(
        "skills/memory-manager/SKILL.md",
        "---\nname: memory-manager\ndescription: Reads the memory. Use to reflect.\nversion: 2026-01-01\ntriggers: [\"reflect\"]\ntools: [bash]\n---\n\n# Memory\n",
    );
    write("skills/memory-manager/KNOWLEDGE.md", "# More\n");
    write("skills/_index.md", "# Skills\n");
    write("skills/plain/KNOWLEDGE.md", "# More\n");
    write("skills/plain/SKILL.md", "---\nname: plain\n---\n\n# Steps\n");
    write(
        "skills/_manifest.jsonl",
        "{\"name\": \"plain\", \"description\": \"Lists steps. Use to begin.\"}\nno JSON\n",
    );
    write("harness/hooks/post.py", "pass\n");
    write("context/glossary.md", "# Words\n");
    write("config.json", "{}\n");
    repo
}

#[test]
fn imports_agentic_stack() {
    let repo = stack();
    let before = repo.tree();
    let document = json(&repo, &[], 0);
    assert_kept(&before, &repo.tree());
    assert_eq!(document["from"], "agentic-stack");
    let want = [
        ".agent/AGENTS.md -> agent/AGENTS.md",
        ".agent/memory/episodic/AGENT_LEARNINGS.jsonl -> agent/memory/episodic/AGENT_LEARNINGS.jsonl",
        ".agent/memory/episodic/snapshots/2026-01.jsonl -> agent/memory/episodic/snapshots/2026-01.jsonl",
        ".agent/memory/personal/PREFERENCES.md -> agent/memory/personal/PREFERENCES.md",
        ".agent/memory/semantic/DECISIONS.md -> agent/memory/semantic/DECISIONS.md",
        ".agent/memory/semantic/LESSONS.md -> agent/memory/semantic/LESSONS.md",
        ".agent/memory/working/WORKSPACE.md -> agent/memory/working/WORKSPACE.md",
        ".agent/protocols/delegation.md -> agent/protocols/delegation.md",
        ".agent/protocols/permissions.md -> agent/protocols/permissions.md",
        ".agent/protocols/tool_schemas/git.schema.json -> agent/protocols/tool_schemas/git.schema.json",
        ".agent/skills/memory-manager -> agent/skills/memory-manager",
        ".agent/skills/plain -> agent/skills/plain",
    ];
    assert_eq!(taken(&document), want);
    for taken in document["taken"].as_array().unwrap().iter().filter(|taken| taken["files"] == 1) {
        let from = taken["from"][0].as_str().unwrap();
        let to = taken["to"].as_str().unwrap();
        assert_eq!(repo.read(from), repo.read(to), "{from}");
    }
    assert!(changes(&document, "agent/AGENTS.md").contains("names `.agent/` once"));
    assert!(changes(&document, "agent/memory/episodic/AGENT_LEARNINGS.jsonl").contains("1 of its 2 rows"));
    for (path, words) in [
        (".agent/memory/semantic/lessons.jsonl", "LESSONS.md is generated from it"),
        (".agent/memory/working/REVIEW_QUEUE.md", "notes on work in progress"),
        (".agent/memory/auto_dream.py", "`canonry dream`"),
        (".agent/protocols/hook.py", "a protocol is Markdown"),
        (".agent/skills/_index.md", "its own list of skills"),
        (".agent/skills/_manifest.jsonl", "its own list of skills"),
        (".agent/harness", "programs of agentic-stack"),
        (".agent/context", "no place"),
        (".agent/config.json", "no place"),
    ] {
        assert!(left(&document, path).iter().any(|text| text.contains(words)), "{path}: {:?}", left(&document, path));
    }
    assert_eq!(document["left"].as_array().unwrap().len(), 9, "{document:#}");
    assert!(repo.text("agent/skills/plain/SKILL.md").contains("description: \"Lists steps. Use to begin.\"\n"));
    // What was skipped is nowhere else, so that the folder is not called superfluous.
    let next = document["next"].to_string();
    assert!(next.contains("remove `.agent/skills`") && !next.contains("remove `.agent/`"), "{next}");
    assert_done(&repo, &[]);
}

/// Without `targets`, sync makes folders for five tools.
#[test]
fn skills_of_agentic_stack_go_to_the_tools_of_the_repository() {
    let repo = stack();
    repo.write("QWEN.md", "# Ours\n");
    repo.write(".qwen/settings.json", "{}\n");
    json(&repo, &[], 0);
    repo.sync(&[]).expect(0);
    assert!(repo.exists(".qwen/skills/plain/SKILL.md"));
    assert!(!repo.exists(".codex/skills") && !repo.exists(".cursor/skills") && !repo.exists(".antigravity"));
}

#[test]
fn memory_continues_after_an_import() {
    let repo = stack();
    json(&repo, &[], 0);
    repo.sync(&[]).expect(0);
    repo.commit_all("imported");
    // The row without a timestamp is the only finding.
    repo.check(&[]).says(&["file-unreadable"]);
    repo.canonry(&["dream", "--now", "2026-05-01"]).expect(0);
    assert!(repo.text("agent/memory/episodic/quarantine.txt").contains("\"step\": \"8\""));
    assert_eq!(repo.text("agent/memory/episodic/AGENT_LEARNINGS.jsonl").lines().count(), 1);
}

#[test]
fn does_not_import_a_canon_named_dot_agent() {
    let repo = stack();
    repo.write("canonry.yaml", "root: .agent\n");
    repo.canonry(&["import"]).expect(0).says(&["Nothing to import"]);
    repo.canonry(&["import", "--from", "agentic-stack"]).expect(65).says(&["nothing of agentic-stack"]);
}

#[test]
fn imports_specs_tasks_and_journals_of_trellis() {
    let repo = Repo::empty();
    let write = |path: &str, text: &str| repo.write(&format!(".trellis/{path}"), text);
    write("spec/backend/index.md", "# Backend\n\nSee [errors](./errors.md).\n");
    write("spec/backend/errors.md", "# Errors\n\nReturn one.\n");
    write("spec/guides/picture.png", "png");
    write("workflow.md", "# Workflow\n\nRun `python3 .trellis/scripts/task.py`.\n");
    write("tasks/04-01-login/prd.md", "# Login\n");
    write(
        "tasks/04-01-login/task.json",
        r#"{"title": "Login", "status": "in_progress", "assignee": "ann", "branch": "b"}"#,
    );
    write(
        "tasks/04-01-login/implement.jsonl",
        "{\"file\": \".trellis/spec/backend/errors.md\", \"reason\": \"the form\"}\n",
    );
    write("tasks/04-01-login/shot.png", "png");
    write("tasks/archive/old/task.json", "{}");
    write("tasks/active/pay/task.json", r#"{"title": "Pay"}"#);
    for page in ["prd", "implementation-context", "review-context"] {
        write(&format!("tasks/active/upload/{page}.md"), "# Upload\n");
    }
    write("workspace/ann/journal-1.md", "# Journal\n");
    write("scripts/task.py", "pass\n");
    write("config.yaml", "a: 1\n");
    write(".version", "1\n");
    let before = repo.tree();
    let document = json(&repo, &[], 0);
    assert_kept(&before, &repo.tree());
    let want = [
        ".trellis/spec/backend/errors.md -> agent/spec/backend/errors.md",
        ".trellis/spec/backend/index.md -> agent/spec/backend/index.md",
        ".trellis/tasks/04-01-login/implement.jsonl, .trellis/tasks/04-01-login/task.json -> agent/tasks/04-01-login/task.yaml",
        ".trellis/tasks/04-01-login/prd.md -> agent/tasks/04-01-login/prd.md",
        ".trellis/tasks/active/pay/task.json -> agent/tasks/pay/task.yaml",
        ".trellis/tasks/active/upload -> agent/tasks/upload/task.yaml",
        ".trellis/tasks/active/upload/implementation-context.md -> agent/tasks/upload/implementation-context.md",
        ".trellis/tasks/active/upload/prd.md -> agent/tasks/upload/prd.md",
        ".trellis/tasks/active/upload/review-context.md -> agent/tasks/upload/review-context.md",
        ".trellis/workspace/ann/journal-1.md -> agent/journals/ann/journal-1.md",
    ];
    assert_eq!(taken(&document), want);
    for (path, words) in [
        (".trellis/spec/guides/picture.png", "only Markdown files can be pages of the spec"),
        (".trellis/workflow.md", "Trellis' scripts"),
        (".trellis/tasks/04-01-login/shot.png", "only Markdown files can be files of a task"),
        (".trellis/tasks/archive", "archive"),
        (".trellis/scripts", "programs"),
        (".trellis/config.yaml", "settings"),
    ] {
        assert!(left(&document, path).iter().any(|text| text.contains(words)), "{path}: {:?}", left(&document, path));
    }
    assert_eq!(document["left"].as_array().unwrap().len(), 6, "{document:#}");
    assert_eq!(
        repo.text("agent/tasks/04-01-login/task.yaml"),
        "title: \"Login\"\nstatus: in_progress\nowner: \"ann\"\ncontext:\n  - file: \"agent/spec/backend/errors.md\"\n    reason: \
         \"the form\"\n"
    );
    assert_eq!(
        repo.text("agent/tasks/upload/task.yaml"),
        "title: \"upload\"\nstatus: in_progress\ncontext:\n  - file: \"agent/tasks/upload/implementation-context.md\"\n  \
         - file: \"agent/tasks/upload/review-context.md\"\n"
    );
    repo.canonry(&["context", "--task", "04-01-login"]).expect(0).says(&[
        "# Login",
        "errors.md: the form",
        "# Journal",
    ]);
    repo.check(&[]).expect(0);
    assert_done(&repo, &[]);
}

/// The index has what the manifest lacks.
#[test]
fn descriptions_come_from_both_lists_of_skills() {
    let repo = Repo::empty();
    repo.write(".agent/memory/semantic/LESSONS.md", "# Lessons\n");
    repo.write(".agent/skills/ship/SKILL.md", "# Ship it\n");
    repo.write(".agent/skills/note/SKILL.md", "# Notes\n");
    repo.write(
        ".agent/skills/_manifest.jsonl",
        "{\"name\": \"ship\", \"triggers\": [\"release\"]}\n{\"name\": \"note\", \"description\": \"Takes notes.\"}\n",
    );
    repo.write(
        ".agent/skills/_index.md",
        "# Skills\n\nRead this first.\n\n## ship\nShips a release. Use before\na release.\nTriggers: \"other\"\nConstraints: \"never on Friday\"\n\n## note\nOther.\n",
    );
    json(&repo, &["--from", "agentic-stack"], 0);
    let ship = repo.text("agent/skills/ship/SKILL.md");
    for line in [
        "description: \"Ships a release. Use before a release.\"\n",
        "triggers: \"release\"\n",
        "constraints: \"never on Friday\"\n",
    ] {
        assert!(ship.contains(line), "{ship}");
    }
    assert!(repo.text("agent/skills/note/SKILL.md").contains("description: \"Takes notes.\"\n"));
}
