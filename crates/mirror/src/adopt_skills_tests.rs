use super::*;
use crate::{CanonFile, CanonSkill, DesiredMirrors, FolderStatus, Lock, MirrorState};
use gix_hash::ObjectId;

/// Returns a file state; 0 is that of an unreadable file.
fn state(byte: u8) -> FileState {
    FileState { id: ObjectId::from_bytes_or_panic(&[byte; 20]), mode: FileMode::File }
}

/// Files by path and content, links by path and destination.
#[derive(Default)]
struct AdoptCase<'a> {
    canon: &'a [(&'a str, u8)],
    files: &'a [(&'a str, u8)],
    links: &'a [(&'a str, &'a str)],
    lock: &'a [(&'a str, u8)],
}

/// Formats the written files (`+`), the owned files (`=`) and the refused skills (`!`).
fn run(case: &AdoptCase<'_>) -> String {
    let pairs = |files: &[(&str, u8)]| files.iter().map(|(p, b)| (RepoPath::from(*p), state(*b))).collect::<Vec<_>>();
    let skill = |(path, state): (RepoPath, FileState)| CanonSkill {
        path: path.parent().unwrap_or_default(),
        files: vec![CanonFile { path, state, link: None }],
        unreadable: Vec::new(),
        defect: None,
        deliveries: Default::default(),
        overrides: Default::default(),
    };
    let skills: Vec<CanonSkill> = pairs(case.canon).into_iter().map(skill).collect();
    let desired = DesiredMirrors::build(&skills, &Target::ALL, gix_hash::Kind::Sha1, |_| FolderStatus::PartlyOwned);
    let canon = skills.iter().map(|skill| (fold_name(skill.path.file_name()), skill.path.clone())).collect();
    let mut current = MirrorState { files: pairs(case.files), ..MirrorState::default() };
    for (link, to) in case.links {
        current.files.push((RepoPath::from(*link), FileState { mode: FileMode::Link, ..state(9) }));
        current.links.insert(RepoPath::from(*link), RepoPath::from(*to));
    }
    current.files.sort_by(|a, b| a.0.cmp(&b.0));
    let lock = Lock::new(pairs(case.lock));
    let context = AdoptContext { desired: &desired, state: &current, lock: &lock, prefer: None };
    let link_text =
        |path: &RepoPath| current.links.get(path).map(|to| to.relative_to(&path.parent().unwrap_or_default()));
    let reader = SkillAdoptReader {
        link_text: &link_text,
        is_broken_link: &|_| false,
        renders_unchanged: &|_, _| true,
        excluded: &BTreeSet::new(),
        canon: &canon,
    };
    let result = adopt_skills(&context, &Layout::default(), &reader);
    let mut lines: Vec<String> = result.adoption.edits.iter().map(|edit| format!("+{}", edit.path())).collect();
    lines.extend(result.adoption.lock.entries().iter().map(|(path, _)| format!("={path}")));
    lines.extend(result.refused.iter().map(|(path, error)| format!("!{path} {}", word(error))));
    lines.join(" ").replace("/SKILL.md", "").replace("/skills/", "/")
}

fn word(error: &SkillAdoptError) -> &'static str {
    match error {
        SkillAdoptError::Differs { .. } => "differs",
        SkillAdoptError::CaseClash { .. } => "case",
        SkillAdoptError::DifferentDepth { .. } => "depth",
        SkillAdoptError::InvalidFile { .. } => "invalid",
        SkillAdoptError::Unreadable { .. } => "unreadable",
        SkillAdoptError::BrokenLink => "broken",
    }
}

#[test]
fn adopts_whole_skills_or_nothing() {
    let claude = ".claude/skills/a/SKILL.md";
    let gemini = ".gemini/skills/a/SKILL.md";
    let files = |files| AdoptCase { files, ..AdoptCase::default() };
    for (name, case, want) in [
        ("nothing", AdoptCase::default(), ""),
        ("one", files(&[(claude, 1)]), "+agent/a =.claude/a"),
        ("equal in two tools", files(&[(claude, 1), (gemini, 1)]), "+agent/a =.claude/a =.gemini/a"),
        ("different in two tools", files(&[(claude, 1), (gemini, 2)]), "!.gemini/a differs"),
        ("an additional file", files(&[(claude, 1), (gemini, 1), (".gemini/skills/a/x", 1)]), "!.gemini/a differs"),
        ("names that differ in case", files(&[(claude, 1), (".gemini/skills/A/SKILL.md", 1)]), "!.gemini/A case"),
        ("different depths", files(&[(claude, 1), (".gemini/skills/cat/a/SKILL.md", 1)]), "!.gemini/cat/a depth"),
        ("unreadable", files(&[(claude, 1), (".claude/skills/a/x", 0)]), "!.claude/a unreadable"),
        ("control characters", files(&[(claude, 1), (".claude/skills/a/\n", 1)]), "!.claude/a invalid"),
        ("files that are no skills", files(&[(".claude/skills/SKILL.md", 1), (".claude/skills/x/y", 1)]), ""),
        (
            "adjacent in the sort order",
            files(&[(claude, 1), (".claude/skills/a-b/SKILL.md", 2)]),
            "+agent/a-b +agent/a =.claude/a-b =.claude/a",
        ),
        (
            "equal in the canon",
            AdoptCase { canon: &[("agent/skills/c/a/SKILL.md", 1)], files: &[(claude, 1)], ..AdoptCase::default() },
            "=.claude/a",
        ),
        (
            "different in the canon",
            AdoptCase { canon: &[("agent/skills/a/SKILL.md", 2)], files: &[(claude, 1)], ..AdoptCase::default() },
            "!.claude/a differs",
        ),
        (
            "already owned",
            AdoptCase { files: &[(claude, 1), (gemini, 2)], lock: &[(claude, 7), (gemini, 7)], ..AdoptCase::default() },
            "=.claude/a =.gemini/a",
        ),
    ] {
        let mut case = case;
        let mut sorted = case.files.to_vec();
        sorted.sort();
        case.files = &sorted;
        assert_eq!(run(&case), want, "{name}");
    }
}

fn with<'a>(files: &'a [(&'a str, u8)], links: &'a [(&'a str, &'a str)]) -> AdoptCase<'a> {
    AdoptCase { files, links, ..AdoptCase::default() }
}

#[test]
fn resolves_links_to_the_same_skill() {
    let claude = &[(".claude/skills/a/SKILL.md", 1)];
    let gemini = ".gemini/skills/a";
    let codex = ".codex/skills/a";
    let all = "+agent/a =.claude/a =.codex/a =.gemini/a";
    assert_eq!(run(&with(claude, &[(gemini, ".claude/skills/a"), (codex, ".claude/skills/a")])), all);
    assert_eq!(run(&with(claude, &[(gemini, codex), (codex, ".claude/skills/a")])), all, "through another link");
    assert_eq!(run(&with(claude, &[(gemini, "shared/a")])), "!.gemini/a differs");
    let to_canon = AdoptCase {
        canon: &[("agent/skills/a/SKILL.md", 1)],
        links: &[(gemini, "agent/skills/a")],
        files: claude,
        ..AdoptCase::default()
    };
    assert_eq!(run(&to_canon), "=.claude/a", "sync accepts the link as a mirror");
    let only_link = AdoptCase { links: &[(gemini, "shared/a")], ..AdoptCase::default() };
    assert_eq!(run(&only_link), "+agent/a =.gemini/a");
    let circular = AdoptCase { links: &[(gemini, codex), (codex, gemini)], ..AdoptCase::default() };
    assert!(!run(&circular).is_empty());
}
