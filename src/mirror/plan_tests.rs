use super::*;
use crate::canon::FileMode;
use crate::config::Target;
use crate::edit::OverwriteMode;
use crate::mirror::MirrorRoot;
use crate::mirror::{CanonFile, CanonSkill, FolderStatus, SkillDefect, desired_mirrors};
use gix::ObjectId;
use gix::hash::Kind;
use proptest::prelude::*;
use std::collections::BTreeMap;

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

fn actual(files: &[(&str, u8)]) -> MirrorState {
    let mut files: Vec<_> =
        files.iter().map(|(p, b)| (RepoPath::new(format!(".claude/skills/{p}")), state(*b))).collect();
    files.sort_by(|a, b| a.0.cmp(&b.0));
    MirrorState { files, ..MirrorState::default() }
}

fn lock(files: &[(&str, u8)]) -> Lock {
    Lock::new(actual(files).files)
}

fn standing(lock: &Lock, folder: &RepoPath) -> FolderStatus {
    if lock.owns_below(folder) { FolderStatus::PartlyOwned } else { FolderStatus::New }
}

/// What a run does, as `+path`, `~path`, `-path`, `!path`, `?path` for written, changed, removed, refused, unowned.
fn run(skills: &[CanonSkill], now: &MirrorState, lock: &Lock) -> (Vec<String>, SyncPlan) {
    let desired = desired_mirrors(skills, &[Target::Claude], Kind::Sha1, |folder| standing(lock, folder));
    let decision = plan(&desired, now, lock, OverwriteMode::OwnedOnly);
    let short = |p: &RepoPath| p.below(&RepoPath::from(".claude/skills")).unwrap_or_default().to_string();
    let mut said: Vec<String> = decision
        .edits
        .iter()
        .map(|e| match (e.was(), e.now()) {
            (None, _) => format!("+{}", short(e.path())),
            (_, Some(_)) => format!("~{}", short(e.path())),
            (_, None) => format!("-{}", short(e.path())),
        })
        .collect();
    said.extend(decision.refused.iter().map(|r| format!("!{}", short(&r.path))));
    said.extend(decision.unowned.iter().map(|p| format!("?{}", short(p))));
    (said, decision)
}

#[test]
fn tells_stale_edited_foreign_and_orphaned_apart() {
    let a = || skill("a", &[("SKILL.md", 1), ("x", 2)]);
    type Row<'a> = (&'a str, Vec<CanonSkill>, MirrorState, Lock, &'a [&'a str]);
    let table: [Row<'_>; 12] = [
        ("fresh", vec![a()], actual(&[]), lock(&[]), &["+a/SKILL.md", "+a/x"]),
        ("no change", vec![a()], actual(&[("a/SKILL.md", 1), ("a/x", 2)]), lock(&[("a/SKILL.md", 1), ("a/x", 2)]), &[]),
        (
            "stale",
            vec![a()],
            actual(&[("a/SKILL.md", 9), ("a/x", 2)]),
            lock(&[("a/SKILL.md", 9), ("a/x", 2)]),
            &["~a/SKILL.md"],
        ),
        (
            "edited, the rest goes on",
            vec![a()],
            actual(&[("a/SKILL.md", 7), ("a/x", 9)]),
            lock(&[("a/SKILL.md", 9), ("a/x", 9)]),
            &["~a/x", "!a/SKILL.md"],
        ),
        (
            "deleted by hand comes back",
            vec![a()],
            actual(&[("a/x", 2)]),
            lock(&[("a/SKILL.md", 1), ("a/x", 2)]),
            &["+a/SKILL.md"],
        ),
        ("same bytes stood there: not claimed", vec![a()], actual(&[("a/SKILL.md", 1), ("a/x", 2)]), lock(&[]), &[]),
        (
            "someone's skill of that name: nothing of it written",
            vec![a()],
            actual(&[("a/SKILL.md", 5)]),
            lock(&[]),
            &["!a/SKILL.md", "!a/x"],
        ),
        (
            "someone's file in our folder stays",
            vec![a()],
            actual(&[("a/SKILL.md", 1), ("a/x", 2), ("a/mine", 5)]),
            lock(&[("a/SKILL.md", 1), ("a/x", 2)]),
            &["?a/mine"],
        ),
        (
            "skill gone: ours go, theirs stay",
            vec![],
            actual(&[("a/SKILL.md", 1), ("a/mine", 5), ("a/x", 6)]),
            lock(&[("a/SKILL.md", 1), ("a/x", 2)]),
            &["-a/SKILL.md", "!a/x", "?a/mine"],
        ),
        ("canonical removed, never claimed: stays", vec![], actual(&[("a/SKILL.md", 1)]), lock(&[]), &["?a/SKILL.md"]),
        (
            "a file becomes a folder",
            vec![skill("a", &[("SKILL.md", 1), ("x/y", 2)])],
            actual(&[("a/SKILL.md", 1), ("a/x", 2)]),
            lock(&[("a/SKILL.md", 1), ("a/x", 2)]),
            &["-a/x", "+a/x/y"],
        ),
        (
            "a folder becomes a file, someone's file in it",
            vec![a()],
            actual(&[("a/SKILL.md", 1), ("a/x/y", 2), ("a/x/mine", 3)]),
            lock(&[("a/SKILL.md", 1), ("a/x/y", 2)]),
            &["-a/x/y", "!a/x", "?a/x/mine"],
        ),
    ];
    for (name, skills, now, lock, want) in table {
        assert_eq!(run(&skills, &now, &lock).0, want, "{name}");
    }
}

#[test]
fn a_clash_freezes_both_and_spares_the_rest() {
    let skills =
        [skill("Gamma", &[("SKILL.md", 1)]), skill("gamma", &[("SKILL.md", 2)]), skill("b", &[("SKILL.md", 3)])];
    let stood = [("gamma/SKILL.md", 4)];
    let (said, decision) = run(&skills, &actual(&stood), &lock(&stood));
    assert_eq!(said, ["+b/SKILL.md"]);
    assert!(decision.lock.owns(&RepoPath::from(".claude/skills/gamma/SKILL.md")));
}

#[test]
fn a_broken_skill_is_updated_only_where_it_was() {
    let broken = CanonSkill { defect: Some(SkillDefect::InvalidFrontmatter), ..skill("a", &[("SKILL.md", 1)]) };
    assert!(run(std::slice::from_ref(&broken), &actual(&[]), &lock(&[])).0.is_empty());
    let stood = [("a/SKILL.md", 9)];
    assert_eq!(run(&[broken], &actual(&stood), &lock(&stood)).0, ["~a/SKILL.md"]);
}

#[test]
fn roots_that_are_links() {
    let skills = [skill("a", &[("SKILL.md", 1)])];
    let with = |root: MirrorRoot| MirrorState { roots: BTreeMap::from([(Target::Claude, root)]), ..actual(&[]) };
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
        let decision = run(&skills, &with(root), &lock(&[])).1;
        assert!(decision.edits.is_empty() && decision.refused.len() == 1);
    }
    let linked = MirrorState {
        links: BTreeMap::from([(".claude/skills/a".into(), "agent/skills/a".into())]),
        ..actual(&[("a", 8)])
    };
    assert_eq!(run(&skills, &linked, &lock(&[])).0, ["?a"], "a folder that is a link into the canon");
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
    fn never_touches_what_is_not_ours_and_settles(canon in files(), now in files(), ours in files()) {
        let mut skills: BTreeMap<&str, Vec<(&str, u8)>> = BTreeMap::new();
        for (path, byte) in &canon {
            if let Some((name, below)) = path.split_once('/') {
                skills.entry(name).or_default().push((below, *byte));
            }
        }
        let skills: Vec<CanonSkill> = skills.iter().map(|(name, files)| skill(name, files)).collect();
        let before = actual(&pairs(&now));
        let lock = lock(&pairs(&ours));
        let (_, decision) = run(&skills, &before, &lock);

        let mut after: BTreeMap<RepoPath, FileState> = before.files.iter().cloned().collect();
        for edit in &decision.edits {
            prop_assert_eq!(edit.was(), before.state(edit.path()), "what an edit says stood there did stand there");
            if let Some(was) = edit.was() {
                prop_assert!(lock.states(edit.path()).any(|s| s == was), "only what we wrote is changed");
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
        let settled = MirrorState { files: after.into_iter().collect(), ..MirrorState::default() };
        let (_, second) = run(&skills, &settled, &decision.lock);
        prop_assert!(second.edits.is_empty(), "a second run changes nothing: {:?}", second.edits);
        prop_assert_eq!(&second.lock, &decision.lock);
    }
}
