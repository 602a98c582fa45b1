//! The edit of a file in HEAD, whatever the work tree has.

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::index::entry::{Flags, Stat};

use super::head::CommitBase;
use super::plan::CommitPlan;
use super::worktree::{PathOutcome, Staged};
use super::{CommitError, CommitSelection, ContentEdit};
use crate::fs::failpoint;

/// An edited file whose new content is in the plan of a commit.
pub(super) struct EditedFile<'a> {
    pub path: &'a BString,
    /// The new entry of the index; `None` if the entry stays as it is.
    entry: Option<Staged>,
}

impl<'a> EditedFile<'a> {
    /// Puts the new content into the plan in place of that in the work tree. `None` if the selection has no edit.
    pub fn put(
        repo: &gix::Repository,
        index: &gix::index::File,
        base: &mut CommitBase<'_>,
        plan: &mut CommitPlan,
        selection: CommitSelection<'a>,
    ) -> Result<Option<Self>, CommitError> {
        let CommitSelection::Edited { edit, .. } = selection else { return Ok(None) };
        let path = edit.path;
        let on_disk = match plan.outcomes.remove(path) {
            Some(PathOutcome::Put(staged)) => Some(staged),
            Some(PathOutcome::Gone) | None => None,
        };
        plan.changes.remove(path);
        let head = base.leaf(path.as_bstr())?;
        let new = head.map(|head| edited(repo, edit, head.id)).transpose()?.flatten();
        // With the stat of the same content in the work tree, git does not read the file again.
        let stat = |id: ObjectId| on_disk.filter(|staged| staged.id == id).map_or_else(Stat::default, |it| it.stat);
        if let Some((head, id)) = head.zip(new) {
            plan.record(path.as_bstr(), Some(head), PathOutcome::Put(Staged::new(id, head.kind, stat(id))));
        }
        let staged = index.entry_by_path(path.as_bstr()).filter(|_| new.is_some());
        let staged = staged.and_then(|entry| Some((entry, entry.mode.to_tree_entry_mode()?.kind())));
        let Some((staged, kind)) = staged else { return Ok(Some(Self { path, entry: None })) };
        let is_head = head.is_some_and(|head| head.id == staged.id);
        let after = if is_head { new } else { edited(repo, edit, staged.id)? };
        let skip_worktree = staged.flags.contains(Flags::SKIP_WORKTREE);
        let entry = after.map(|id| Staged { skip_worktree, ..Staged::new(id, kind, stat(id)) });
        Ok(Some(Self { path, entry }))
    }

    /// Gives the index its own content of the file, once the tree of the commit is written.
    pub fn stage(self, plan: &mut CommitPlan) {
        match self.entry {
            Some(entry) => plan.outcomes.insert(self.path.clone(), PathOutcome::Put(entry)),
            None => plan.outcomes.remove(self.path),
        };
    }
}

/// The object with the edited content of another.
fn edited(repo: &gix::Repository, edit: ContentEdit<'_>, id: ObjectId) -> Result<Option<ObjectId>, CommitError> {
    let before = repo.find_blob(id).map_err(CommitError::git("read the content of a file"))?;
    let Some(after) = (edit.apply)(&before.data) else { return Ok(None) };
    if after == before.data {
        return Ok(Some(id));
    }
    failpoint::reach("object").map_err(CommitError::git_io("store the content of a file"))?;
    Ok(Some(repo.write_blob(after).map_err(CommitError::git("store the content of a file"))?.detach()))
}
