//! Copies of one skill in several tools.

use crate::import::{assert_done, changes, json, taken};
use crate::support::repo::{Repo, document};

fn repo() -> Repo {
    let repo = Repo::empty();
    for root in [".claude", ".agents", ".cursor"] {
        repo.write(&format!("{root}/skills/deploy/SKILL.md"), document("deploy"));
    }
    repo
}

#[test]
fn extra_files_are_no_conflict() {
    let repo = repo();
    repo.write(".claude/skills/deploy/a.md", "A\n");
    repo.write(".cursor/skills/deploy/b.md", "B\n");
    let document = json(&repo, &[], 0);
    let want = ".agents/skills/deploy, .claude/skills/deploy, .cursor/skills/deploy -> agent/skills/deploy";
    assert_eq!(taken(&document), [want]);
    assert_eq!(
        (repo.text("agent/skills/deploy/a.md"), repo.text("agent/skills/deploy/b.md")),
        ("A\n".into(), "B\n".into())
    );
    let text = changes(&document, "agent/skills/deploy");
    assert!(text.contains("`a.md` from .claude/skills/deploy") && text.contains("`b.md` from .cursor"), "{text}");
    assert!(!repo.exists("agent/overlays"));
    assert_done(&repo, &[]);
}

#[test]
fn differences_become_overlays() {
    let repo = repo();
    repo.write(".claude/skills/deploy/SKILL.md", document("deploy") + "Only for Claude Code.\n");
    repo.write(".claude/skills/deploy/own.md", "Own\n");
    repo.write(".cursor/skills/deploy/b.md", "B\n");
    let before = repo.read(".claude/skills/deploy/SKILL.md");
    let document = json(&repo, &[], 0);
    assert_eq!(document["refused"], serde_json::json!([]));
    assert_eq!(repo.read("agent/skills/deploy/SKILL.md"), repo.read(".agents/skills/deploy/SKILL.md"));
    assert_eq!(repo.read("agent/overlays/claude/skills/deploy/SKILL.md"), before);
    assert!(repo.exists("agent/overlays/claude/skills/deploy/own.md") && !repo.exists("agent/skills/deploy/own.md"));
    assert!(repo.exists("agent/skills/deploy/b.md"));
    assert!(changes(&document, "agent/overlays/claude/skills/deploy").contains("an overlay for claude"));
    assert_done(&repo, &[]);
    repo.sync(&["--adopt", "--all"]);
    repo.sync(&["--force"]);
    assert_eq!(repo.read(".claude/skills/deploy/SKILL.md"), before);
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn a_tool_with_an_overlay_stays_a_target() {
    let repo = repo();
    repo.write(".cursor/skills/deploy/SKILL.md", document("deploy") + "Only for Cursor.\n");
    json(&repo, &[], 0);
    assert!(
        repo.text("agent/canonry.yaml").contains("targets: [claude, cursor, agents]\n"),
        "{}",
        repo.text("agent/canonry.yaml")
    );
    repo.sync(&["--force"]);
    assert!(repo.text(".cursor/skills/deploy/SKILL.md").contains("Only for Cursor."));
    assert!(!repo.text(".agents/skills/deploy/SKILL.md").contains("Only for Cursor."));
}

#[test]
fn a_changed_mode_is_a_difference() {
    let repo = repo();
    for root in [".claude", ".agents"] {
        repo.write(&format!("{root}/skills/deploy/run.sh"), "#!/bin/sh\n");
    }
    repo.chmod(".claude/skills/deploy/run.sh", 0o755);
    json(&repo, &[], 0);
    assert!(repo.exists("agent/overlays/claude/skills/deploy/run.sh"));
}
