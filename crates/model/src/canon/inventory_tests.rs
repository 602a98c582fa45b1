use super::*;

fn entries(paths: &[&str]) -> Vec<TreeEntry> {
    let mut entries: Vec<TreeEntry> =
        paths.iter().map(|p| TreeEntry { path: RepoPath::from(*p), mode: FileMode::File }).collect();
    entries.sort();
    entries
}

#[test]
fn nested_skills_belong_to_the_outermost_skill() {
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
fn canonical_spelling_is_the_document() {
    let list = entries(&["s/SKILL.md", "s/skill.md"]);
    let inventory = Inventory::from_entries(&list, &Layout::default());
    assert_eq!(inventory.skills.len(), 1);
    assert_eq!(inventory.skills[0].document.path, RepoPath::from("s/SKILL.md"));
}
