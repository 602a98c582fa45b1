//! `skills remove`: removes skills from elsewhere, unless they have local edits.

use super::local::SkillFolders;
use super::pinned::load_pinned;
use super::pins::{load_lock, select};
use super::write::{SkillChanges, Written, check_commit, recover, write};
use crate::{Error, Progress, Workspace};
use canonry_exchange::remote_skills::RemoteItem;
use canonry_model::edit::Edit;
use canonry_text::RepoPath;

/// Removed skills.
#[derive(Clone, Debug, Default)]
pub struct RemovedSkills {
    pub removed: Vec<RemoteItem>,
    /// Skills that stay, with the files that are not as they were pinned.
    pub edited: Vec<(RemoteItem, Vec<RepoPath>)>,
    pub written: Written,
}

/// Removes the folders of skills and their entries in the lock. Files that git ignores stay. With `force`, edited skills are removed
/// too, and their edited files are backed up first.
///
/// # Errors
/// A name is not in the lock; a skill cannot be read; see also [`write`].
pub fn run(
    workspace: &Workspace,
    names: &[String],
    force: bool,
    commit: bool,
    progress: &dyn Progress,
) -> Result<RemovedSkills, Error> {
    recover(workspace)?;
    check_commit(workspace, commit)?;
    let lock = load_lock(workspace)?;
    let folders = SkillFolders::load(workspace)?;
    let mut outcome = RemovedSkills::default();
    let mut changes = SkillChanges::default();
    let mut after = lock.clone();
    for (item, pin) in select(workspace, &lock, names)? {
        let folder = folders.folder(&item);
        let (skill, pinned) = load_pinned(workspace, &item, &folder, &pin)?;
        let edited: Vec<RepoPath> = if item.content_id(&skill.tree) == pin.content {
            Vec::new()
        } else {
            // Without the pinned version, nothing proves that a file has no edits.
            let pinned = pinned.unwrap_or_default();
            skill.tree.foreign_paths(&pinned).iter().map(|path| folder.join(path.as_bstr())).collect()
        };
        if !edited.is_empty() && !force {
            outcome.edited.push((item, edited));
            continue;
        }
        changes.back_up.extend(edited);
        changes
            .edits
            .extend(skill.states.iter().map(|(path, was)| Edit::Remove { path: folder.join(path), was: *was }));
        after.items.remove(&item);
        outcome.removed.push(item);
    }
    if outcome.removed.is_empty() {
        return Ok(outcome);
    }
    let removed: Vec<String> = outcome.removed.iter().map(RemoteItem::to_string).collect();
    let message = format!("skills: remove {}", removed.join(", "));
    outcome.written = write(workspace, &changes, &lock, &after, commit.then_some(message), progress)?;
    Ok(outcome)
}
