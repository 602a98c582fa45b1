//! Merges two versions of a skill, in memory, with the engine that merges branches: it follows renamed files.

use super::integrate::unresolved_paths;
use super::source_cache::FetchError;
use super::source_cache::read_tree;
use crate::canon::FileMode;
use crate::remote_skills::{SkillTree, TreeFile};
use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::bstr::{BStr, ByteSlice};
use gix::merge::blob::builtin_driver::text::Labels;
use gix::objs::tree::EntryKind;

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
    let mut outcome = memory.merge_trees(base_id, our_id, their_id, labels, options).map_err(&fail)?;
    let paths = unresolved_paths(&outcome.conflicts);
    if !paths.is_empty() {
        return Ok(MergedSkill::Conflict(paths));
    }
    let merged = outcome.tree.write().map_err(&fail)?.detach();
    Ok(MergedSkill::Merged(read_tree(&memory, merged)?))
}

fn write(repo: &gix::Repository, skill: &SkillTree) -> Result<ObjectId, FetchError> {
    let fail = FetchError::git("store a version of a skill in memory");
    let mut editor = repo.empty_tree().edit().map_err(&fail)?;
    for (path, TreeFile { mode, bytes }) in &skill.files {
        let kind = match mode {
            FileMode::File => EntryKind::Blob,
            FileMode::Executable => EntryKind::BlobExecutable,
            FileMode::Link => EntryKind::Link,
            // A skill with a submodule is not accepted.
            FileMode::Submodule => continue,
        };
        let id = repo.write_blob(bytes).map_err(&fail)?.detach();
        editor.upsert(path.as_bstr(), kind, id).map_err(&fail)?;
    }
    editor.write().map(gix::Id::detach).map_err(fail)
}
