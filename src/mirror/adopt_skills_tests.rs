use super::*;
use crate::mirror::{CanonFile, CanonSkill, FolderStatus, desired_mirrors};
use crate::mirror::{Lock, MirrorState};
use gix::ObjectId;

/// 0 stands for a file that cannot be read.
fn state(byte: u8) -> FileState {
    FileState { id: ObjectId::from_bytes_or_panic(&[byte; 20]), mode: FileMode::File }
}

/// What there is: files by their path and content, links by their path and where they lead.
#[derive(Default)]
struct Case<'a> {
    canon: &'a [(&'a str, u8)],
    files: &'a [(&'a str, u8)],
    links: &'a [(&'a str, &'a str)],
    lock: &'a [(&'a str, u8)],
}

/// What is written, what is ours, and what is refused.
fn run(case: &Case<'_>) -> String {
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
    let desired = desired_mirrors(&skills, &Target::ALL, gix::hash::Kind::Sha1, |_| FolderStatus::PartlyOwned);
    let canon = skills.iter().map(|skill| (fold_name(skill.path.file_name()), skill.path.clone())).collect();
    let mut actual = MirrorState { files: pairs(case.files), ..MirrorState::default() };
    for (link, to) in case.links {
        actual.files.push((RepoPath::from(*link), FileState { mode: FileMode::Link, ..state(9) }));
        actual.links.insert(RepoPath::from(*link), RepoPath::from(*to));
    }
    actual.files.sort_by(|a, b| a.0.cmp(&b.0));
    let lock = Lock::new(pairs(case.lock));
    let seen = AdoptContext { desired: &desired, actual: &actual, lock: &lock };
    let link_text =
        |path: &RepoPath| actual.links.get(path).map(|to| to.relative_to(&path.parent().unwrap_or_default()));
    let look = SkillAdoptReader {
        link_text: &link_text,
        is_dead: &|_| false,
        is_settled: &|_, _| true,
        left_out: &BTreeSet::new(),
        canon: &canon,
    };
    let over = adopt_skills(&seen, &Layout::default(), &look);
    let mut said: Vec<String> = over.adoption.edits.iter().map(|edit| format!("+{}", edit.path())).collect();
    said.extend(over.adoption.lock.entries().iter().map(|(path, _)| format!("={path}")));
    said.extend(over.refused.iter().map(|(path, why)| format!("!{path} {}", word(why))));
    said.join(" ").replace("/SKILL.md", "").replace("/skills/", "/")
}

fn word(why: &SkillAdoptError) -> &'static str {
    match why {
        SkillAdoptError::Differs { .. } => "differs",
        SkillAdoptError::CaseClash { .. } => "case",
        SkillAdoptError::DifferentDepth { .. } => "depth",
        SkillAdoptError::InvalidFile { .. } => "unfit",
        SkillAdoptError::Unreadable { .. } => "unreadable",
        SkillAdoptError::BrokenLink => "dead",
    }
}

#[test]
fn takes_whole_skills_or_none() {
    let (claude, gemini) = (".claude/skills/a/SKILL.md", ".gemini/skills/a/SKILL.md");
    let files = |files| Case { files, ..Case::default() };
    for (name, case, want) in [
        ("nothing", Case::default(), ""),
        ("one", files(&[(claude, 1)]), "+agent/a =.claude/a"),
        ("the same twice", files(&[(claude, 1), (gemini, 1)]), "+agent/a =.claude/a =.gemini/a"),
        ("two of one name", files(&[(claude, 1), (gemini, 2)]), "!.gemini/a differs"),
        ("a file more", files(&[(claude, 1), (gemini, 1), (".gemini/skills/a/x", 1)]), "!.gemini/a differs"),
        ("cases", files(&[(claude, 1), (".gemini/skills/A/SKILL.md", 1)]), "!.gemini/A case"),
        ("depths", files(&[(claude, 1), (".gemini/skills/cat/a/SKILL.md", 1)]), "!.gemini/cat/a depth"),
        ("unreadable", files(&[(claude, 1), (".claude/skills/a/x", 0)]), "!.claude/a unreadable"),
        ("control characters", files(&[(claude, 1), (".claude/skills/a/\n", 1)]), "!.claude/a unfit"),
        ("beside the skills", files(&[(".claude/skills/SKILL.md", 1), (".claude/skills/x/y", 1)]), ""),
        (
            "neighbours in the sort order",
            files(&[(claude, 1), (".claude/skills/a-b/SKILL.md", 2)]),
            "+agent/a-b +agent/a =.claude/a-b =.claude/a",
        ),
        (
            "in the canon",
            Case { canon: &[("agent/skills/c/a/SKILL.md", 1)], files: &[(claude, 1)], ..Case::default() },
            "=.claude/a",
        ),
        (
            "another in the canon",
            Case { canon: &[("agent/skills/a/SKILL.md", 2)], files: &[(claude, 1)], ..Case::default() },
            "!.claude/a differs",
        ),
        (
            "ours",
            Case { files: &[(claude, 1), (gemini, 2)], lock: &[(claude, 7), (gemini, 7)], ..Case::default() },
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

fn with<'a>(files: &'a [(&'a str, u8)], links: &'a [(&'a str, &'a str)]) -> Case<'a> {
    Case { files, links, ..Case::default() }
}

#[test]
fn follows_links_to_the_same_skill() {
    let claude = &[(".claude/skills/a/SKILL.md", 1)];
    let (gemini, codex) = (".gemini/skills/a", ".codex/skills/a");
    let all = "+agent/a =.claude/a =.codex/a =.gemini/a";
    assert_eq!(run(&with(claude, &[(gemini, ".claude/skills/a"), (codex, ".claude/skills/a")])), all);
    assert_eq!(run(&with(claude, &[(gemini, codex), (codex, ".claude/skills/a")])), all, "over another link");
    assert_eq!(run(&with(claude, &[(gemini, "shared/a")])), "!.gemini/a differs");
    let to_canon = Case {
        canon: &[("agent/skills/a/SKILL.md", 1)],
        links: &[(gemini, "agent/skills/a")],
        files: claude,
        ..Case::default()
    };
    assert_eq!(run(&to_canon), "=.claude/a", "it is a mirror as it is");
    let alone = Case { links: &[(gemini, "shared/a")], ..Case::default() };
    assert_eq!(run(&alone), "+agent/a =.gemini/a");
    let in_a_circle = Case { links: &[(gemini, codex), (codex, gemini)], ..Case::default() };
    assert!(!run(&in_a_circle).is_empty());
}
