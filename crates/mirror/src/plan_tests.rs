use super::*;
use crate::skipped::SkipReason;
use crate::{CanonFile, CanonSkill, FolderStatus};
use canonry_model::canon::FileMode;
use canonry_model::config::Target;
use gix_hash::Kind;
use gix_hash::ObjectId;
use proptest::prelude::*;

fn state(byte: u8) -> FileState {
    FileState { id: ObjectId::from_bytes_or_panic(&[byte; 20]), mode: FileMode::File }
}

fn skill(name: &str, files: &[(&str, u8)]) -> CanonSkill {
    let path = RepoPath::from("agent/skills").join(name);
    let files = files.iter().map(|(f, b)| CanonFile { path: path.join(f), state: state(*b), link: None });
    CanonSkill {
        files: files.collect(),
        path,
        unreadable: Vec::new(),
        defect: None,
        deliveries: Default::default(),
        overrides: Default::default(),
    }
}

fn current(files: &[(&str, u8)]) -> MirrorState {
    let mut files: Vec<_> =
        files.iter().map(|(p, b)| (RepoPath::new(format!(".claude/skills/{p}")), state(*b))).collect();
    files.sort_by(|a, b| a.0.cmp(&b.0));
    MirrorState { files, ..MirrorState::default() }
}

fn lock(files: &[(&str, u8)]) -> Lock {
    Lock::new(current(files).files)
}

fn status(lock: &Lock, folder: &RepoPath) -> FolderStatus {
    if lock.owns_below(folder) { FolderStatus::PartlyOwned } else { FolderStatus::New }
}

/// Formats a plan: `+path`, `~path`, `-path`, `!path`, `?path` for written, changed, removed, refused, unowned.
fn run(skills: &[CanonSkill], now: &MirrorState, lock: &Lock) -> (Vec<String>, SyncPlan) {
    let desired = DesiredMirrors::build(skills, &[Target::CLAUDE], Kind::Sha1, |folder| status(lock, folder));
    let plan = super::plan(&desired, now, lock, OverwriteMode::OwnedOnly);
    let short = |p: &RepoPath| p.below(&RepoPath::from(".claude/skills")).unwrap_or_default().to_string();
    let mut lines: Vec<String> = plan
        .edits
        .iter()
        .map(|e| match (e.was(), e.now()) {
            (None, _) => format!("+{}", short(e.path())),
            (_, Some(_)) => format!("~{}", short(e.path())),
            (_, None) => format!("-{}", short(e.path())),
        })
        .collect();
    lines.extend(plan.refused.iter().map(|r| format!("!{}", short(&r.path))));
    lines.extend(plan.unowned.iter().map(|p| format!("?{}", short(p))));
    (lines, plan)
}

#[test]
fn distinguishes_stale_edited_foreign_and_orphaned_files() {
    let a = || skill("a", &[("SKILL.md", 1), ("x", 2)]);
    type Row<'a> = (&'a str, Vec<CanonSkill>, MirrorState, Lock, &'a [&'a str]);
    let table: [Row<'_>; 12] = [
        ("fresh", vec![a()], current(&[]), lock(&[]), &["+a/SKILL.md", "+a/x"]),
        (
            "no change",
            vec![a()],
            current(&[("a/SKILL.md", 1), ("a/x", 2)]),
            lock(&[("a/SKILL.md", 1), ("a/x", 2)]),
            &[],
        ),
        (
            "stale",
            vec![a()],
            current(&[("a/SKILL.md", 9), ("a/x", 2)]),
            lock(&[("a/SKILL.md", 9), ("a/x", 2)]),
            &["~a/SKILL.md"],
        ),
        (
            "edited: the other files are updated",
            vec![a()],
            current(&[("a/SKILL.md", 7), ("a/x", 9)]),
            lock(&[("a/SKILL.md", 9), ("a/x", 9)]),
            &["~a/x", "!a/SKILL.md"],
        ),
        (
            "deleted by hand: restored",
            vec![a()],
            current(&[("a/x", 2)]),
            lock(&[("a/SKILL.md", 1), ("a/x", 2)]),
            &["+a/SKILL.md"],
        ),
        ("an equal user file is not claimed", vec![a()], current(&[("a/SKILL.md", 1), ("a/x", 2)]), lock(&[]), &[]),
        (
            "a user skill of the same name: nothing is written",
            vec![a()],
            current(&[("a/SKILL.md", 5)]),
            lock(&[]),
            &["!a/SKILL.md", "!a/x"],
        ),
        (
            "a user file in a mirrored folder stays",
            vec![a()],
            current(&[("a/SKILL.md", 1), ("a/x", 2), ("a/mine", 5)]),
            lock(&[("a/SKILL.md", 1), ("a/x", 2)]),
            &["?a/mine"],
        ),
        (
            "skill removed: owned files are removed, user files stay",
            vec![],
            current(&[("a/SKILL.md", 1), ("a/mine", 5), ("a/x", 6)]),
            lock(&[("a/SKILL.md", 1), ("a/x", 2)]),
            &["-a/SKILL.md", "!a/x", "?a/mine"],
        ),
        ("skill removed, file never owned: stays", vec![], current(&[("a/SKILL.md", 1)]), lock(&[]), &["?a/SKILL.md"]),
        (
            "a file becomes a folder",
            vec![skill("a", &[("SKILL.md", 1), ("x/y", 2)])],
            current(&[("a/SKILL.md", 1), ("a/x", 2)]),
            lock(&[("a/SKILL.md", 1), ("a/x", 2)]),
            &["-a/x", "+a/x/y"],
        ),
        (
            "a folder with a user file becomes a file",
            vec![a()],
            current(&[("a/SKILL.md", 1), ("a/x/y", 2), ("a/x/mine", 3)]),
            lock(&[("a/SKILL.md", 1), ("a/x/y", 2)]),
            &["-a/x/y", "!a/x", "?a/x/mine"],
        ),
    ];
    for (name, skills, now, lock, want) in table {
        assert_eq!(run(&skills, &now, &lock).0, want, "{name}");
    }
}

#[test]
fn clashing_skills_stay_unchanged_and_others_are_synced() {
    let skills =
        [skill("Gamma", &[("SKILL.md", 1)]), skill("gamma", &[("SKILL.md", 2)]), skill("b", &[("SKILL.md", 3)])];
    let before = [("gamma/SKILL.md", 4)];
    let (lines, plan) = run(&skills, &current(&before), &lock(&before));
    assert_eq!(lines, ["+b/SKILL.md"]);
    assert!(plan.lock.owns(&RepoPath::from(".claude/skills/gamma/SKILL.md")));
}

#[test]
fn an_invalid_skill_is_updated_but_not_added() {
    let invalid = CanonSkill { defect: Some(SkipReason::InvalidFrontmatter), ..skill("a", &[("SKILL.md", 1)]) };
    assert!(run(std::slice::from_ref(&invalid), &current(&[]), &lock(&[])).0.is_empty());
    let before = [("a/SKILL.md", 9)];
    assert_eq!(run(&[invalid], &current(&before), &lock(&before)).0, ["~a/SKILL.md"]);
}

#[test]
fn roots_that_are_links() {
    let skills = [skill("a", &[("SKILL.md", 1)])];
    let with = |root: MirrorRoot| MirrorState { roots: BTreeMap::from([(Target::CLAUDE, root)]), ..current(&[]) };
    let none: [&str; 0] = [];
    assert_eq!(run(&skills, &with(MirrorRoot::LinkInside("agent/skills".into())), &lock(&[])).0, none);
    for root in [
        MirrorRoot::LinkInside("src".into()),
        MirrorRoot::LinkInside("agent".into()),
        MirrorRoot::LinkInside(".gemini/skills".into()),
        MirrorRoot::LinkInside(".claude/skills".into()),
        MirrorRoot::LinkOutside("/tmp".into()),
        MirrorRoot::NotAFolder(".claude".into()),
    ] {
        let plan = run(&skills, &with(root), &lock(&[])).1;
        assert!(plan.edits.is_empty() && plan.refused.len() == 1);
    }
    let linked = MirrorState {
        links: BTreeMap::from([(".claude/skills/a".into(), "agent/skills/a".into())]),
        ..current(&[("a", 8)])
    };
    assert_eq!(run(&skills, &linked, &lock(&[])).0, ["?a"], "the folder is a link into the canon");
}

const NAMES: [&str; 6] = ["a/SKILL.md", "a/x", "a/x/y", "b/SKILL.md", "b/z", "a-b/SKILL.md"];

fn files() -> impl Strategy<Value = BTreeMap<&'static str, u8>> {
    proptest::collection::btree_map(proptest::sample::select(NAMES.to_vec()), 1u8..4, 0..6)
        .prop_filter("a path is a file or a folder", |m| !(m.contains_key("a/x") && m.contains_key("a/x/y")))
}

fn pairs(map: &BTreeMap<&'static str, u8>) -> Vec<(&'static str, u8)> {
    map.iter().map(|(k, v)| (*k, *v)).collect()
}

proptest! {
    #[test]
    fn changes_only_owned_files_and_is_idempotent(canon in files(), now in files(), owned in files()) {
        let mut skills: BTreeMap<&str, Vec<(&str, u8)>> = BTreeMap::new();
        for (path, byte) in &canon {
            if let Some((name, below)) = path.split_once('/') {
                skills.entry(name).or_default().push((below, *byte));
            }
        }
        let skills: Vec<CanonSkill> = skills.iter().map(|(name, files)| skill(name, files)).collect();
        let before = current(&pairs(&now));
        let lock = lock(&pairs(&owned));
        let (_, plan) = run(&skills, &before, &lock);

        let mut after: BTreeMap<RepoPath, FileState> = before.files.iter().cloned().collect();
        for edit in &plan.edits {
            prop_assert_eq!(edit.was(), before.state(edit.path()), "the previous state of an edit is correct");
            if let Some(was) = edit.was() {
                prop_assert!(lock.states(edit.path()).any(|s| s == was), "only owned files are changed");
            }
            match edit.now() {
                Some(state) => { after.insert(edit.path().clone(), state); }
                None => { after.remove(edit.path()); }
            }
        }
        for path in after.keys() {
            let mut above = std::iter::successors(path.parent(), RepoPath::parent);
            prop_assert!(!above.any(|p| after.contains_key(&p)), "a path is a file or a folder");
        }
        let synced = MirrorState { files: after.into_iter().collect(), ..MirrorState::default() };
        let (_, second) = run(&skills, &synced, &plan.lock);
        prop_assert!(second.edits.is_empty(), "a second run changes nothing: {:?}", second.edits);
        prop_assert_eq!(&second.lock, &plan.lock);
    }
}
