//! Writes skills and their lock in one session, and commits them.

use super::local::LocalSkill;
use super::pins::load_lock;
use crate::consolidation::transaction::{check_commit_possible, commit_files};
use crate::memory_files::read_optional;
use crate::skills::learn::{lock_in_head, sync_mirrors};
use crate::sync::SyncMode;
use crate::{Error, ErrorKind, Progress, Workspace, file_edits};
use canonry_exchange::remote_skills::{SkillTree, SkillsLock, is_shared};
use canonry_model::canon::{FileMode, FileState};
use canonry_model::edit::{Edit, EditContent};
use canonry_repo::apply::log_transaction::PendingCommit;
use canonry_repo::apply::{WritePlan, lock_edit, unfinished};
pub use canonry_repo::git::commit::Committed;
use canonry_repo::view::Texts;
use canonry_repo::view::tool_files::may_be_owned;
use canonry_text::RepoPath;
use gix::bstr::BString;
use std::collections::BTreeSet;

/// Skills to write and to remove.
#[derive(Debug, Default)]
pub struct SkillChanges {
    pub edits: Vec<Edit>,
    /// Files that are backed up first.
    pub back_up: Vec<RepoPath>,
}

/// Written and removed files.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The changed files of the canon, with the lock.
    pub paths: Vec<RepoPath>,
    /// Backups, by the path of the file.
    pub backups: Vec<(RepoPath, std::path::PathBuf)>,
    /// Whether the mirrors have to be synced.
    pub needs_sync: bool,
    pub commit: Option<Committed>,
}

impl SkillChanges {
    /// Adds the edits that turn the files of a folder into those of a tree.
    ///
    /// # Errors
    /// git cannot convert a file.
    pub fn replace(
        &mut self,
        workspace: &Workspace,
        texts: &mut Texts<'_>,
        local: &LocalSkill,
        tree: &SkillTree,
    ) -> Result<(), Error> {
        let hash = workspace.view.object_hash();
        let at = |below: &BString| local.folder.join(below);
        for (below, was) in &local.states {
            if !tree.files.contains_key(below) {
                self.edits.push(Edit::Remove { path: at(below), was: *was });
            }
        }
        for (below, file) in tree.files.iter().filter(|(below, file)| local.tree.files.get(*below) != Some(file)) {
            let path = at(below);
            let (content, now) = match file.mode {
                FileMode::Link => (EditContent::Link(file.bytes.as_slice().into()), file.state(hash)),
                _ => {
                    let (bytes, id) = texts.checked_out(&path, &file.bytes).ok_or_else(|| {
                        Error::new(ErrorKind::Internal, format!("{path}: git's filters failed on the new content"))
                    })?;
                    (EditContent::Bytes(bytes), FileState { id, mode: file.mode })
                }
            };
            self.edits.push(Edit::Write { path, content, was: local.states.get(below).copied(), now });
        }
        Ok(())
    }
}

/// Checks early that a commit is possible.
///
/// # Errors
/// See [`canonry_repo::git::commit::CommitError`].
pub fn check_commit(workspace: &Workspace, commit: bool) -> Result<(), Error> {
    if commit { check_commit_possible(workspace, None) } else { Ok(()) }
}

/// Writes the files, then the lock. `before` is the lock that the changes were decided from. With the subject of a commit, commits
/// the files, with the mirrors if these were in sync before.
///
/// # Errors
/// [`ErrorKind::Contention`] if the lock or a file changed since then; see also [`canonry_repo::apply::ApplyError`].
pub fn write(
    workspace: &Workspace,
    changes: &SkillChanges,
    before: &SkillsLock,
    after: &SkillsLock,
    subject: Option<String>,
    progress: &dyn Progress,
) -> Result<Written, Error> {
    let commits_mirrors = subject.is_some() && can_commit_mirrors(workspace, progress)?;
    let applied = {
        let mut session = file_edits::begin(workspace, |path| is_own(workspace, path))?;
        if load_lock(workspace)? != *before {
            return Err(Error::changed_meanwhile(&workspace.layout.skills_lock()));
        }
        let locks = if before == after { Vec::new() } else { lock_change(workspace, after).into_iter().collect() };
        let plan = WritePlan { edits: &changes.edits, back_up: &changes.back_up, locks };
        session.apply(&workspace.view, &plan, &workspace.env.cancel)?
    };
    if let Some(path) = applied.conflicts.first() {
        return Err(Error::changed_meanwhile(path));
    }
    let mut paths: Vec<RepoPath> = changes.edits.iter().map(|edit| edit.path().clone()).collect();
    if before != after {
        paths.push(workspace.layout.skills_lock());
    }
    let mut written = Written { paths, backups: applied.backups, needs_sync: true, commit: None };
    if let Some(subject) = subject {
        let mut to_commit = written.paths.clone();
        let synced = if commits_mirrors { sync_mirrors(workspace, SyncMode::Write, progress)? } else { None };
        if let Some(synced) = synced {
            to_commit.extend(paths_to_commit(workspace, synced));
            written.needs_sync = false;
        }
        let paths = to_commit.iter().map(RepoPath::to_display).collect();
        let note = PendingCommit { message: format!("{subject}\n"), paths, branch: None };
        written.commit = commit_files(workspace, &note)?;
    }
    Ok(written)
}

fn lock_change(workspace: &Workspace, lock: &SkillsLock) -> Option<Edit> {
    let text = (!lock.items.is_empty()).then(|| lock.to_text().into_bytes());
    lock_edit(&workspace.view, workspace.layout.skills_lock(), text)
}

/// Clears the journal of a run of these commands that was killed: it left each file as it was or as it should be, so that
/// nothing has to be finished first. The journal of a sync stays.
///
/// # Errors
/// See [`canonry_repo::apply::ApplyError`].
pub fn recover(workspace: &Workspace) -> Result<(), Error> {
    let pending = unfinished(&workspace.git_dir()?);
    if pending.is_empty() || !pending.iter().all(|(path, _)| is_own(workspace, path)) {
        return Ok(());
    }
    let mut session = file_edits::begin(workspace, |path| is_own(workspace, path))?;
    session.apply(
        &workspace.view,
        &WritePlan { edits: &[], back_up: &[], locks: Vec::new() },
        &workspace.env.cancel,
    )?;
    Ok(())
}

/// Whether only these commands write a file.
fn is_own(workspace: &Workspace, path: &RepoPath) -> bool {
    let layout = &workspace.layout;
    let is_file = path.below(layout.root()).is_some_and(|below| is_shared(&RepoPath::new(below)));
    ((path.is_within(&layout.skills()) || is_file) && !may_be_owned(path)) || *path == layout.skills_lock()
}

/// Whether the mirrors can be part of the commit: everything that a sync changes from now on is due to this run.
fn can_commit_mirrors(workspace: &Workspace, progress: &dyn Progress) -> Result<bool, Error> {
    let head = lock_in_head(workspace)?;
    let is_committed =
        read_optional(workspace, &workspace.layout.lock())?.unwrap_or_default() == head && !head.is_empty();
    let changed = sync_mirrors(workspace, SyncMode::Preview, progress)?;
    Ok(is_committed && changed.is_some_and(|changed| changed.is_empty()))
}

/// The paths for a commit of the files that a sync wrote, with the lock.
fn paths_to_commit(workspace: &Workspace, synced: Vec<RepoPath>) -> BTreeSet<RepoPath> {
    let mut paths: BTreeSet<RepoPath> = synced.into_iter().collect();
    if workspace.config.files.git.ignore {
        paths.retain(|path| !workspace.config.is_in_mirror(path));
    }
    paths.insert(workspace.layout.lock());
    paths
}
