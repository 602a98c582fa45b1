use super::*;

fn entries(paths: &[&str]) -> Vec<TreeEntry> {
    let mut entries: Vec<TreeEntry> =
        paths.iter().map(|p| TreeEntry { path: RepoPath::from(*p), mode: FileMode::File }).collect();
    entries.sort();
    entries
}

#[test]
fn nested_skills_belong_to_the_outer_one() {
    let list = entries(&[
        "agent/skills/a/SKILL.md",
        "agent/skills/a/assets/inner/SKILL.md",
        "agent/skills/a-b/SKILL.md",
        "agent/skills/cat/c/SKILL.md",
        "agent/skills/readme.md",
    ]);
    let inventory = Inventory::from_entries(&list, &Layout::default());
    let found: Vec<_> = inventory
        .skills
        .iter()
        .map(|s| (s.path.to_display(), s.files.len(), s.nested_in.as_ref().map(RepoPath::to_display)))
        .collect();
    assert_eq!(
        found,
        [
            ("agent/skills/a".to_owned(), 2, None),
            ("agent/skills/a-b".to_owned(), 1, None),
            ("agent/skills/a/assets/inner".to_owned(), 1, Some("agent/skills/a".to_owned())),
            ("agent/skills/cat/c".to_owned(), 1, None),
        ]
    );
}

#[test]
fn the_right_spelling_wins() {
    let list = entries(&["s/SKILL.md", "s/skill.md"]);
    let inventory = Inventory::from_entries(&list, &Layout::default());
    assert_eq!(inventory.skills.len(), 1);
    assert_eq!(inventory.skills[0].document.path, RepoPath::from("s/SKILL.md"));
}

#[test]
fn files_go_by_path() {
    for (path, want) in [
        ("agent/schemas/plan.json", Some(FileKind::Schema)),
        ("agent/reports/x/plan.1.json", Some(FileKind::Report)),
        ("agent/reports/x/plan.md", None),
        ("agent/memory/episodic/AGENT_LEARNINGS.jsonl", Some(FileKind::Log)),
        (".agent/memory/episodic/AGENT_LEARNINGS.jsonl", Some(FileKind::Log)),
        ("agent/memory/episodic/snapshots/2026-05.jsonl", None),
        ("agent/memory/semantic/LESSONS.md", Some(FileKind::Memory)),
        ("agent/memory/semantic/lessons.jsonl", None),
        ("agent/memory/notes.md", None),
        ("docs/plan.yaml", Some(FileKind::Plan)),
        ("agent/policies/WORKFLOW.md", Some(FileKind::Page)),
        ("agent/protocols/tool_schemas/push.schema.json", Some(FileKind::ToolSchema)),
        ("agent/AGENTS.md", Some(FileKind::Context)),
        (".cursor/rules/a.mdc", Some(FileKind::Context)),
    ] {
        assert_eq!(FileKind::from_path(&RepoPath::from(path), &Layout::default()), want, "{path}");
    }
}

#[test]
fn plans_go_by_name() {
    for (path, want) in [
        ("agent/plans/x/plan.yaml", true),
        ("plan-01-linear.yaml", true),
        ("plan.json", true),
        ("planner.yaml", false),
        ("plan.md", false),
        ("agent/schemas/plan-schema.json", false),
        ("schemas/plan.schema.json", false),
    ] {
        assert_eq!(is_plan(&RepoPath::from(path)), want, "{path}");
    }
}
