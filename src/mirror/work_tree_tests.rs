use super::*;
use crate::canon::FileMode;
use crate::edit::EditContent;
use gix::ObjectId;

const MIRROR: &str = ".claude/skills/a/SKILL.md";
const CANON: &str = "agent/skills/a/SKILL.md";

fn state(byte: u8) -> FileState {
    FileState { id: ObjectId::from_bytes_or_panic(&[byte; 20]), mode: FileMode::File }
}

fn lock(byte: Option<u8>) -> Lock {
    Lock::new(byte.map(|byte| (RepoPath::from(MIRROR), state(byte))).into_iter().collect())
}

fn desired(byte: Option<u8>) -> DesiredMirrors {
    let want = |byte| DesiredFile {
        path: MIRROR.into(),
        state: state(byte),
        content: EditContent::CopyOf(CANON.into()),
        canon: CANON.into(),
        folder: ".claude/skills/a".into(),
    };
    DesiredMirrors {
        targets: vec![Target::Claude],
        files: byte.map(want).into_iter().collect(),
        ..DesiredMirrors::default()
    }
}

fn actual(byte: Option<u8>) -> MirrorState {
    let files = byte.map(|byte| (RepoPath::from(MIRROR), state(byte))).into_iter().collect();
    MirrorState { files, roots: [(Target::Claude, MirrorRoot::Folder)].into(), ..MirrorState::default() }
}

/// What is staged becomes `now` from 1, which sync wrote; the work tree's canon says `wanted`, its mirror holds `held`.
fn decided(now: Option<u8>, wanted: Option<u8>, held: Option<u8>) -> WorkTreePlan {
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
    let (desired, actual, ours) = (desired(wanted), actual(held), lock(Some(1)));
    plan_work_tree(&staged, &WorkTreeMirrors { desired: &desired, actual: &actual, ours: &ours, lock: &ours })
}

/// What becomes of the mirror in the work tree: `copied` from its canon, `staged` content, `same`, `left`, or `ahead`.
fn fate(beside: &WorkTreePlan) -> &'static str {
    match (beside.edits.len(), beside.staged.len(), beside.same.len(), beside.left.len()) {
        (1, 0, 0, 0) => "copied",
        (0, 1, 0, 0) => "staged",
        (0, 0, 1, 0) => "same",
        (0, 0, 0, 1) => "left",
        (0, 0, 0, 0) => "ahead",
        counts => panic!("{counts:?}"),
    }
}

#[test]
fn a_mirror_is_written_only_where_it_is_as_sync_left_it() {
    // (staged, work tree's canon, its mirror) -> fate, and the work tree's lock.
    for (now, wanted, held, expected, locked) in [
        (Some(2), Some(2), Some(1), "copied", Some(2)),
        (Some(2), Some(2), None, "copied", Some(2)),
        (Some(2), Some(2), Some(2), "same", Some(2)),
        // Staged in part: the mirror was not synced since, or it was.
        (Some(2), Some(3), Some(1), "staged", Some(2)),
        (Some(2), Some(3), Some(3), "ahead", Some(1)),
        (Some(2), Some(3), Some(2), "same", Some(2)),
        // By hand.
        (Some(2), Some(2), Some(9), "left", Some(1)),
        // Staged, and since then removed.
        (Some(2), None, None, "ahead", None),
        (Some(2), None, Some(1), "staged", Some(2)),
        // The removal is staged.
        (None, None, Some(1), "copied", None),
        (None, None, None, "same", None),
        (None, None, Some(9), "left", Some(1)),
        (None, Some(1), Some(1), "ahead", Some(1)),
    ] {
        let beside = decided(now, wanted, held);
        let case = format!("{now:?} {wanted:?} {held:?}");
        assert_eq!(fate(&beside), expected, "{case}");
        assert_eq!(beside.lock, lock(locked), "{case}");
    }
}

#[test]
fn nothing_is_written_through_a_link_or_over_a_file() {
    for change in [
        (|actual: &mut MirrorState| {
            actual.roots.insert(Target::Claude, MirrorRoot::LinkInside("shared".into()));
        }) as fn(&mut MirrorState),
        |actual| actual.files = vec![(".claude/skills/a".into(), state(7))],
        |actual| actual.files = vec![(".claude/skills/a/SKILL.md/x".into(), state(7))],
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
        let (desired, mut actual, ours) = (desired(Some(2)), actual(None), Lock::default());
        change(&mut actual);
        let beside =
            plan_work_tree(&staged, &WorkTreeMirrors { desired: &desired, actual: &actual, ours: &ours, lock: &ours });
        assert_eq!((fate(&beside), beside.lock), ("left", Lock::default()));
    }
}
