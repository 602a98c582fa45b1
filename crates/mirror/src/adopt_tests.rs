use super::*;
use crate::{CanonFile, CanonSkill, FolderStatus};
use canonry_model::canon::FileMode;
use gix_hash::ObjectId;

fn state(byte: u8) -> FileState {
    FileState { id: ObjectId::from_bytes_or_panic(&[byte; 20]), mode: FileMode::File }
}

/// Merges ids instead of texts: 2 and 7 merge to 9, everything else conflicts.
fn merge(want: &DesiredFile, _: &RepoPath, base: ObjectId) -> Result<MergedFile, MergeError> {
    match (want.state.id, base) {
        (canon, base) if canon == state(2).id && base == state(1).id => {
            Ok(MergedFile { bytes: b"merged".to_vec(), id: state(9).id })
        }
        _ => Err(MergeError::Conflict("lines".to_owned())),
    }
}

fn run(canon: u8, mirror: &[(&str, u8)], lock: &[(&str, u8)], path: &str) -> Vec<String> {
    let skill = RepoPath::from("agent/skills/cat/a");
    let file = CanonFile { path: skill.join("SKILL.md"), state: state(canon), link: None };
    let skills = [CanonSkill {
        path: skill,
        files: vec![file],
        unreadable: Vec::new(),
        defect: None,
        deliveries: Default::default(),
        overrides: Default::default(),
    }];
    let desired =
        DesiredMirrors::build(&skills, &[Target::CLAUDE], gix_hash::Kind::Sha1, |_| FolderStatus::PartlyOwned);
    let under = |files: &[(&str, u8)]| {
        files.iter().map(|(p, b)| (RepoPath::new(format!(".claude/skills/{p}")), state(*b))).collect::<Vec<_>>()
    };
    let current = MirrorState { files: under(mirror), ..MirrorState::default() };
    let lock = Lock::new(under(lock));
    let context = AdoptContext { desired: &desired, state: &current, lock: &lock, prefer: None };
    let reader = AdoptReader {
        link_text: &|_| None,
        merge: &merge,
        renders_unchanged: &|_, _| true,
        canon_state: &|_| None,
        renamed: &|_| None,
    };
    let adoption = adopt(&[RepoPath::from(path)], &context, &RepoPath::from("agent/skills"), &reader);
    let show = |edit: &Edit| match edit {
        Edit::Write { path, content: EditContent::Bytes(_), .. } => format!("{path} merged"),
        edit => edit.path().to_string(),
    };
    let mut lines: Vec<String> = adoption.edits.iter().map(show).collect();
    lines.extend(adoption.refused.iter().map(|(_, error)| format!("!{error:?}").chars().take(8).collect()));
    lines.push(format!("{} owned", adoption.lock.entries().len()));
    lines
}

#[test]
fn adopts_edited_user_and_equal_files() {
    let here = ".claude/skills/a";
    type Files<'a> = &'a [(&'a str, u8)];
    type Row<'a> = (&'a str, u8, Files<'a>, Files<'a>, &'a str, &'a [&'a str]);
    let table: [Row<'_>; 10] = [
        ("an edit", 1, &[("a/SKILL.md", 7)], &[("a/SKILL.md", 1)], here, &["agent/skills/cat/a/SKILL.md", "1 owned"]),
        (
            "both changed",
            2,
            &[("a/SKILL.md", 7)],
            &[("a/SKILL.md", 1)],
            here,
            &["agent/skills/cat/a/SKILL.md merged", "1 owned"],
        ),
        ("both changed the same lines", 3, &[("a/SKILL.md", 7)], &[("a/SKILL.md", 1)], here, &["!Conflic", "1 owned"]),
        ("stale: only the canon changed", 2, &[("a/SKILL.md", 1)], &[("a/SKILL.md", 1)], here, &["1 owned"]),
        (
            "the common version is unknown",
            1,
            &[("a/SKILL.md", 7)],
            &[("a/SKILL.md", 1), ("a/SKILL.md", 4)],
            here,
            &["!BothCha", "2 owned"],
        ),
        ("never equal", 2, &[("a/SKILL.md", 7)], &[], here, &["!BothCha", "0 owned"]),
        ("equal", 1, &[("a/SKILL.md", 1)], &[], here, &["1 owned"]),
        (
            "a new file of a nested skill",
            1,
            &[("a/SKILL.md", 1), ("a/x", 5)],
            &[],
            ".claude/skills/a/x",
            &["agent/skills/cat/a/x", "1 owned"],
        ),
        ("a new skill", 1, &[("b/SKILL.md", 5)], &[], ".claude/skills/b", &["agent/skills/b/SKILL.md", "1 owned"]),
        ("nothing there", 1, &[], &[], "src", &["!NotInAM", "0 owned"]),
    ];
    for (name, canon, mirror, lock, path, want) in table {
        assert_eq!(run(canon, mirror, lock, path), want, "{name}");
    }
}

/// Returns the text of the canonical link for a link `text` at `path` below `.claude/skills`.
fn adopted_link(path: &str, text: &str) -> String {
    let nested = |name: &str| {
        let skill = RepoPath::from("agent/skills/cat").join(name);
        let file = CanonFile { path: skill.join("SKILL.md"), state: state(1), link: None };
        CanonSkill {
            path: skill,
            files: vec![file],
            unreadable: Vec::new(),
            defect: None,
            deliveries: Default::default(),
            overrides: Default::default(),
        }
    };
    let skills = [nested("a"), nested("b")];
    let desired =
        DesiredMirrors::build(&skills, &[Target::CLAUDE], gix_hash::Kind::Sha1, |_| FolderStatus::PartlyOwned);
    let path = RepoPath::from(".claude/skills").join(path);
    let id =
        |text: &[u8]| gix_object::compute_hash(gix_hash::Kind::Sha1, gix_object::Kind::Blob, text).expect("hashed");
    let link = FileState { id: id(text.as_bytes()), mode: FileMode::Link };
    let current = MirrorState { files: vec![(path.clone(), link)], ..MirrorState::default() };
    let lock = Lock::default();
    let context = AdoptContext { desired: &desired, state: &current, lock: &lock, prefer: None };
    let skills = RepoPath::from("agent/skills");
    let reader = AdoptReader {
        link_text: &|_| Some(BString::from(text)),
        merge: &merge,
        renders_unchanged: &|_, _| true,
        canon_state: &|_| None,
        renamed: &|_| None,
    };
    let adoption = adopt(std::slice::from_ref(&path), &context, &skills, &reader);
    assert_eq!(adoption.lock.entries(), [(path, link)], "the link in the mirror is owned");
    let [Edit::Write { content: EditContent::Link(text), now, .. }] = adoption.edits.as_slice() else {
        panic!("{:?}", adoption.edits)
    };
    assert_eq!(now.id, id(text));
    text.to_string()
}

#[test]
fn an_adopted_link_keeps_its_destination() {
    for (path, text, want) in [
        ("a/docs/y", "x", "x"),
        ("a/y", "docs/x", "docs/x"),
        ("a/y", "../../../shared/x", "../../../../shared/x"),
        ("a/docs/y", "../../../../shared/x", "../../../../../shared/x"),
        ("new/y", "../../../shared/x", "../../../shared/x"),
        ("new", "../../shared/x", "../../shared/x"),
        // A link between mirrors becomes a link between the canonical skills.
        ("a/y", "../b/SKILL.md", "../b/SKILL.md"),
        ("new/y", "../b/SKILL.md", "../cat/b/SKILL.md"),
        ("a/y", "../new/x", "../../new/x"),
        ("new/y", "..", "../../../.claude/skills"),
    ] {
        assert_eq!(adopted_link(path, text), want, "{path} -> {text}");
    }
}
