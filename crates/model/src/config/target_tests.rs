use super::*;
use crate::tools::{EvidenceLevel, ToolStatus};

#[test]
fn mirror_contains_its_root_and_descendants() {
    for target in Target::ALL
        .into_iter()
        .chain([Target::custom("foo", ".foo/skills"), Target::custom("bar", ".config/bar/skills")])
    {
        let root = target.skills_root();
        for path in [root.clone(), root.join("a/b")] {
            assert!(target.contains(&path) && is_mirror_path(&path), "{path}");
            assert_eq!(mirror_root(&path), Some(root.clone()));
            assert_eq!(Target::holding(&path), (!target.is_custom()).then_some(target));
        }
    }
    for other in ["", ".", ".claude", ".claude/agents/a.md", "claude/skills/a", ".claude/skills2/a", "a/.claude/skills"]
    {
        let path = RepoPath::from(other);
        assert_eq!((Target::holding(&path), mirror_root(&path)), (None, None), "{other}");
    }
    // Folders of tools hold commands and rules too.
    assert!(!is_mirror_path(&RepoPath::from(".claude/commands/skills/a.md")));
    // The lists of a canon in `.canon` are no mirror.
    assert!(!is_mirror_path(&RepoPath::from(".canon/skills/_index.md")));
}

#[test]
fn rows_are_complete() {
    let mut ids = BTreeSet::new();
    let mut mirrors = BTreeSet::new();
    for row in TOOLS {
        let is_kebab = |id: &str| !id.is_empty() && id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        assert!(is_kebab(row.id) && ids.insert(row.id), "{}", row.id);
        assert!(!row.name.is_empty() && !row.context.is_empty(), "{}", row.id);
        assert!(row.is_through_agents() || mirrors.insert(row.skills.mirror), "{}: two rows write one folder", row.id);
        assert!(row.skills.mirror.starts_with('.') && row.skills.mirror.ends_with("/skills"), "{}", row.id);
        assert!(row.skill_folders().skip(1).all(|folder| folder != row.skills.mirror), "{}", row.id);
        assert!(!row.evidence.is_empty(), "{} has no evidence", row.id);
        for evidence in row.evidence {
            let is_dated = evidence.date.starts_with("20") && evidence.date.len() >= 7;
            assert!(is_dated && !evidence.source.is_empty() && !evidence.about.is_empty(), "{}", row.id);
            // Anyone can repeat what was verified.
            let is_public = evidence.source.starts_with("https://") || evidence.version.is_some();
            assert!(evidence.level == EvidenceLevel::Reported || is_public, "{}: {}", row.id, evidence.source);
        }
        if let ToolStatus::Legacy(text) | ToolStatus::Ended(text) = row.status {
            assert!(text.contains("2026"), "{}: say when", row.id);
        }
        let paths =
            row.skill_folders().chain(row.context.iter().map(|file| file.file)).chain(row.traces.iter().copied());
        let paths = paths.chain(row.also_reads.iter().copied());
        let others = [
            row.subagents.map(|subagents| subagents.folder),
            row.commands.map(|commands| commands.folder),
            row.mcp.as_ref().map(|mcp| mcp.path),
        ]
        .into_iter()
        .flatten();
        for path in paths.chain(others) {
            let is_inside = !path.starts_with(['/', '~']) && path.split('/').all(|part| part != ".." && part != ".git");
            assert!(is_inside, "{}: {path}", row.id);
        }
    }
}

#[test]
fn every_tool_has_a_target() {
    assert_eq!(Target::DEFAULT.map(Target::name), ["claude", "gemini", "cursor", "codex", "antigravity"]);
    for row in TOOLS {
        let target = Target::of_tool(row.id).unwrap();
        assert_eq!(target.mirror(), row.skills.mirror, "{}", row.id);
        assert_eq!(target.name(), if row.is_through_agents() { "agents" } else { row.id });
    }
    assert_eq!(Target::of_tool("vim"), None);
    let mut sorted = Target::ALL;
    sorted.sort();
    assert_eq!(sorted, Target::ALL, "the order is that of the table");
    assert!(Target::custom("aaa", ".aaa/skills") > Target::ALL[Target::ALL.len() - 1]);
}

#[test]
fn events_of_hooks_have_one_name_on_each_side() {
    for row in TOOLS {
        let Some(hooks) = &row.hooks else { continue };
        let mut names = BTreeSet::new();
        for event in hooks.form.events {
            assert!(names.insert(event.name), "{}: {}", row.id, event.name);
            let Some(canon) = event.canon else { continue };
            assert!(crate::tools::hook_form::TEAM.event(canon).is_some(), "{}: {canon}", row.id);
            assert_eq!(row.hooks.as_ref().unwrap().form.name_of(canon), Some(event.name), "{}", row.id);
        }
        assert!(row.hooks.as_ref().unwrap().form.name_of("pre-tool").is_some(), "{}", row.id);
    }
    assert_eq!(tool_row("codex").unwrap().hooks.as_ref().unwrap().form.name_of("notification"), None);
}
