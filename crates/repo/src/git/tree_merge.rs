//! Merges two versions of a skill, in memory, with the engine that merges branches: it follows renamed files.

use super::integrate::unresolved_paths;
use super::source_cache::FetchError;
use super::source_cache::read_tree;
use canonry_exchange::remote_skills::{SkillTree, TreeFile};
use canonry_model::canon::FileMode;
use canonry_text::RepoPath;
use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::merge::blob::builtin_driver::text::Labels;
use gix::merge::tree::{FileFavor, TreeFavor};

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergedSkill {
    Merged(SkillTree),
    /// Both sides changed these files in a different way.
    Conflict(Vec<RepoPath>),
}

/// Merges `ours` and `theirs`, which both come from `base`. Writes nothing; `repo` only lends its object format.
///
/// # Errors
/// gix failed.
pub fn merge_skills(
    repo: &gix::Repository,
    base: &SkillTree,
    ours: &SkillTree,
    theirs: &SkillTree,
) -> Result<MergedSkill, FetchError> {
    merge(repo, base, ours, theirs, None)
}

/// The same, but `preferred` wins where it and `other` conflict.
///
/// # Errors
/// gix failed.
pub fn merge_preferring(
    repo: &gix::Repository,
    base: &SkillTree,
    preferred: &SkillTree,
    other: &SkillTree,
) -> Result<SkillTree, FetchError> {
    Ok(match merge(repo, base, preferred, other, Some((FileFavor::Ours, TreeFavor::Ours)))? {
        MergedSkill::Merged(merged) => merged,
        MergedSkill::Conflict(_) => preferred.clone(),
    })
}

fn merge(
    repo: &gix::Repository,
    base: &SkillTree,
    ours: &SkillTree,
    theirs: &SkillTree,
    favor: Option<(FileFavor, TreeFavor)>,
) -> Result<MergedSkill, FetchError> {
    if ours == base || ours == theirs {
        return Ok(MergedSkill::Merged(theirs.clone()));
    }
    if theirs == base {
        return Ok(MergedSkill::Merged(ours.clone()));
    }
    let fail = FetchError::git("merge two versions of a skill");
    let memory = repo.clone().with_object_memory();
    let [base_id, our_id, their_id] = [write(&memory, base)?, write(&memory, ours)?, write(&memory, theirs)?];
    let labels = Labels { ancestor: None, current: Some(BStr::new("local")), other: Some(BStr::new("update")) };
    let options = memory.tree_merge_options().map_err(&fail)?;
    let (file, tree) = favor.unzip();
    let options = options.with_file_favor(file).with_tree_favor(tree);
    let mut outcome = memory.merge_trees(base_id, our_id, their_id, labels, options).map_err(&fail)?;
    let paths = unresolved_paths(&outcome.conflicts);
    if !paths.is_empty() {
        return Ok(MergedSkill::Conflict(paths));
    }
    let merged = outcome.tree.write().map_err(&fail)?.detach();
    Ok(keep_modes(base, ours, read_tree(&memory, merged)?))
}

/// Keeps the modes that our side changed. gix drops one if the other side renames the file, which is a conflict here.
fn keep_modes(base: &SkillTree, ours: &SkillTree, mut merged: SkillTree) -> MergedSkill {
    let mut conflicts = Vec::new();
    for (path, our) in &ours.files {
        let Some(before) = base.files.get(path).filter(|before| before.mode != our.mode) else { continue };
        match merged.files.get_mut(path) {
            Some(file) if before.mode.is_file() && our.mode.is_file() && file.mode.is_file() => file.mode = our.mode,
            Some(file) if file == our => {}
            _ => conflicts.push(RepoPath::new(path)),
        }
    }
    if conflicts.is_empty() { MergedSkill::Merged(merged) } else { MergedSkill::Conflict(conflicts) }
}

fn write(repo: &gix::Repository, skill: &SkillTree) -> Result<ObjectId, FetchError> {
    let fail = FetchError::git("store a version of a skill in memory");
    let mut editor = repo.empty_tree().edit().map_err(&fail)?;
    for (path, TreeFile { mode, bytes }) in &skill.files {
        // A skill with a submodule is not accepted.
        if *mode == FileMode::Submodule {
            continue;
        }
        let id = repo.write_blob(bytes).map_err(&fail)?.detach();
        editor.upsert(path.as_bstr(), mode.kind(), id).map_err(&fail)?;
    }
    editor.write().map(gix::Id::detach).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tree(files: &[(&str, FileMode, &str)]) -> SkillTree {
        let file = |(path, mode, text): &(&str, FileMode, &str)| {
            ((*path).into(), TreeFile { mode: *mode, bytes: text.as_bytes().to_vec() })
        };
        SkillTree { files: files.iter().map(file).collect() }
    }

    fn merged(base: &SkillTree, ours: &SkillTree, theirs: &SkillTree) -> MergedSkill {
        let folder = tempfile::tempdir().unwrap();
        let repo = gix::init_bare(folder.path()).unwrap();
        let merged = merge_skills(&repo, base, ours, theirs).unwrap();
        let objects = std::fs::read_dir(folder.path().join("objects")).unwrap().count();
        assert_eq!(objects, 2, "`info` and `pack`: a merge writes nothing");
        merged
    }

    const TEXT: &str = "1\n2\n3\n4\n5\n6\n7\n8\n";

    #[test]
    fn edits_follow_a_renamed_file() {
        let base = tree(&[("a.md", FileMode::File, TEXT)]);
        let ours = tree(&[("a.md", FileMode::File, &TEXT.replace('1', "mine"))]);
        let theirs = tree(&[("b.md", FileMode::File, &TEXT.replace('8', "theirs"))]);
        let both = TEXT.replace('1', "mine").replace('8', "theirs");
        let want = MergedSkill::Merged(tree(&[("b.md", FileMode::File, &both)]));
        assert_eq!(merged(&base, &ours, &theirs), want);
    }

    #[test]
    fn the_same_edit_of_a_renamed_file_is_no_conflict() {
        let base = tree(&[("a.md", FileMode::File, TEXT)]);
        let edited = TEXT.replace('5', "same");
        let ours = tree(&[("b.md", FileMode::File, &edited)]);
        let theirs = tree(&[("a.md", FileMode::File, &edited)]);
        assert_eq!(merged(&base, &ours, &theirs), MergedSkill::Merged(ours));
    }

    #[test]
    fn a_side_that_is_preferred_wins_only_where_both_conflict() {
        let base = tree(&[("a.md", FileMode::File, TEXT), ("gone.md", FileMode::File, TEXT)]);
        let ours = tree(&[("a.md", FileMode::File, &TEXT.replace('1', "mine").replace('5', "mine too"))]);
        let text = TEXT.replace('1', "theirs").replace('8', "theirs too");
        let theirs = tree(&[("a.md", FileMode::File, &text), ("gone.md", FileMode::File, "changed\n")]);
        let folder = tempfile::tempdir().unwrap();
        let repo = gix::init_bare(folder.path()).unwrap();
        assert!(matches!(merge_skills(&repo, &base, &ours, &theirs).unwrap(), MergedSkill::Conflict(_)));
        let both = |first: &str| TEXT.replace('1', first).replace('5', "mine too").replace('8', "theirs too");
        let kept = merge_preferring(&repo, &base, &ours, &theirs).unwrap();
        assert_eq!(kept, tree(&[("a.md", FileMode::File, &both("mine"))]));
        let taken = merge_preferring(&repo, &base, &theirs, &ours).unwrap();
        assert_eq!(taken, tree(&[("a.md", FileMode::File, &both("theirs")), ("gone.md", FileMode::File, "changed\n")]));
    }

    #[test]
    fn a_changed_mode_is_kept_or_a_conflict() {
        let base = tree(&[("a.sh", FileMode::Executable, TEXT)]);
        let ours = tree(&[("a.sh", FileMode::File, TEXT)]);
        let theirs = tree(&[("a.sh", FileMode::Executable, "other\n")]);
        let want = MergedSkill::Merged(tree(&[("a.sh", FileMode::File, "other\n")]));
        assert_eq!(merged(&base, &ours, &theirs), want);
        let renamed = tree(&[("b.sh", FileMode::Executable, TEXT)]);
        assert_eq!(merged(&base, &ours, &renamed), MergedSkill::Conflict(vec![RepoPath::from("a.sh")]));
    }

    /// Some files, whose lines are those of a common text and some of `side`.
    fn side(side: &'static str) -> impl Strategy<Value = SkillTree> {
        let line = prop_oneof![4 => Just(None), 1 => (0..3u8).prop_map(Some)];
        let file = prop::option::weighted(0.8, prop::collection::vec(line, 8));
        let name = prop::sample::select(vec!["a.md", "b.md", "d/c.md"]);
        prop::collection::vec((name, file), 0..4).prop_map(move |files| {
            let text = |lines: Vec<Option<u8>>| -> String {
                let line =
                    |(at, own): (usize, Option<u8>)| own.map_or(format!("{at}\n"), |own| format!("{side}{at}{own}\n"));
                lines.into_iter().enumerate().map(line).collect()
            };
            let files = files.into_iter().filter_map(|(name, lines)| Some((name, text(lines?))));
            let file = |(name, text): (&str, String)| {
                (name.into(), TreeFile { mode: FileMode::File, bytes: text.into_bytes() })
            };
            SkillTree { files: files.map(file).collect() }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(canonry_testing::cases(200)))]
        #[test]
        fn no_line_of_a_person_is_lost(base in side("base"), ours in side("mine"), theirs in side("their")) {
            let MergedSkill::Merged(merged) = merged(&base, &ours, &theirs) else { return Ok(()) };
            let all: String = merged.files.values().map(|file| String::from_utf8_lossy(&file.bytes).into_owned()).collect();
            for line in ours.files.values().flat_map(|file| file.bytes.lines()).filter(|line| line.starts_with_str("mine")) {
                prop_assert!(all.as_bytes().contains_str(line), "{} is missing in\n{all}", line.as_bstr());
            }
        }
    }
}
