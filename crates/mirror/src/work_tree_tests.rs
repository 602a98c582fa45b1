use super::*;
use canonry_model::canon::FileMode;
use canonry_model::config::Target;
use canonry_model::edit::EditContent;
use gix_hash::ObjectId;

const MIRROR: &str = ".claude/skills/a/SKILL.md";
const CANON: &str = "agent/skills/a/SKILL.md";

fn state(byte: u8) -> FileState {
    FileState { id: ObjectId::from_bytes_or_panic(&[byte; 20]), mode: FileMode::File }
}

fn lock(byte: Option<u8>) -> Lock {
    Lock::new(byte.map(|byte| (RepoPath::from(MIRROR), state(byte))).into_iter().collect())
}

fn desired(byte: Option<u8>) -> DesiredMirrors {
    let file = |byte| DesiredFile {
        path: MIRROR.into(),
        state: state(byte),
        content: EditContent::CopyOf(CANON.into()),
        canon: CANON.into(),
        folder: ".claude/skills/a".into(),
    };
    DesiredMirrors {
        targets: vec![Target::CLAUDE],
        files: byte.map(file).into_iter().collect(),
        ..DesiredMirrors::default()
    }
}

fn current(byte: Option<u8>) -> MirrorState {
    let files = byte.map(|byte| (RepoPath::from(MIRROR), state(byte))).into_iter().collect();
    MirrorState { files, roots: [(Target::CLAUDE, MirrorRoot::Folder)].into(), ..MirrorState::default() }
}

/// The index changes from 1, which sync wrote, to `now`. In the work tree, the canon has `canon` and the mirror `mirror`.
fn planned(now: Option<u8>, canon: Option<u8>, mirror: Option<u8>) -> WorkTreePlan {
    let edit = match now {
        Some(byte) => Edit::Write {
            path: MIRROR.into(),
            content: EditContent::CopyOf(CANON.into()),
            was: Some(state(1)),
            now: state(byte),
        },
        None => Edit::Remove { path: MIRROR.into(), was: state(1) },
    };
    let staged = SyncPlan { edits: vec![edit], lock: lock(now), ..SyncPlan::default() };
    let desired = desired(canon);
    let current = current(mirror);
    let owned = lock(Some(1));
    plan_work_tree(&staged, &WorkTreeMirrors { desired: &desired, state: &current, owned: &owned, lock: &owned })
}

/// Returns what happens to the mirror in the work tree: `copied` from the canon, written from the `index`, `equal`,
/// `edited`, or `ahead` of the index.
fn fate(plan: &WorkTreePlan) -> &'static str {
    match (plan.edits.len(), plan.index_edits.len(), plan.equal.len(), plan.edited.len()) {
        (1, 0, 0, 0) => "copied",
        (0, 1, 0, 0) => "index",
        (0, 0, 1, 0) => "equal",
        (0, 0, 0, 1) => "edited",
        (0, 0, 0, 0) => "ahead",
        counts => panic!("{counts:?}"),
    }
}

#[test]
fn a_mirror_is_written_only_if_it_is_unedited() {
    // (index, canon in the work tree, mirror in the work tree) -> fate, lock in the work tree
    for (now, canon, mirror, expected, locked) in [
        (Some(2), Some(2), Some(1), "copied", Some(2)),
        (Some(2), Some(2), None, "copied", Some(2)),
        (Some(2), Some(2), Some(2), "equal", Some(2)),
        // Partly staged: without and with a sync since then.
        (Some(2), Some(3), Some(1), "index", Some(2)),
        (Some(2), Some(3), Some(3), "ahead", Some(1)),
        (Some(2), Some(3), Some(2), "equal", Some(2)),
        // Edited by hand.
        (Some(2), Some(2), Some(9), "edited", Some(1)),
        // Removed in the work tree after staging.
        (Some(2), None, None, "ahead", None),
        (Some(2), None, Some(1), "index", Some(2)),
        // The removal is staged.
        (None, None, Some(1), "copied", None),
        (None, None, None, "equal", None),
        (None, None, Some(9), "edited", Some(1)),
        (None, Some(1), Some(1), "ahead", Some(1)),
    ] {
        let plan = planned(now, canon, mirror);
        let case = format!("{now:?} {canon:?} {mirror:?}");
        assert_eq!(fate(&plan), expected, "{case}");
        assert_eq!(plan.lock, lock(locked), "{case}");
    }
}

#[test]
fn nothing_is_written_through_a_link_or_over_a_file() {
    for change in [
        (|current: &mut MirrorState| {
            current.roots.insert(Target::CLAUDE, MirrorRoot::LinkInside("shared".into()));
        }) as fn(&mut MirrorState),
        |current| current.files = vec![(".claude/skills/a".into(), state(7))],
        |current| current.files = vec![(".claude/skills/a/SKILL.md/x".into(), state(7))],
    ] {
        let staged = SyncPlan {
            edits: vec![Edit::Write {
                path: MIRROR.into(),
                content: EditContent::CopyOf(CANON.into()),
                was: None,
                now: state(2),
            }],
            lock: lock(Some(2)),
            ..SyncPlan::default()
        };
        let desired = desired(Some(2));
        let mut current = current(None);
        let owned = Lock::default();
        change(&mut current);
        let mirrors = WorkTreeMirrors { desired: &desired, state: &current, owned: &owned, lock: &owned };
        let plan = plan_work_tree(&staged, &mirrors);
        assert_eq!((fate(&plan), plan.lock), ("edited", Lock::default()));
    }
}
