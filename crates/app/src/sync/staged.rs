//! `--staged`: mirrors the staged canon and stages the mirrors, so that one commit holds both.
//!
//! Only the index decides. A mirror in the work tree is updated too, if it is as a sync left it.

use crate::sync::outcome::CanonOutcome;
use crate::sync::request::{SyncMode, SyncRequest};
use crate::sync::state::SyncState;
use crate::sync::write::{LockedEdits, changes_between, shared_lock_change, write_edits};
use crate::{Error, ErrorKind, Workspace, trust};
use canonry_agents::work_tree::{self, CurrentState, StagedLocks};
use canonry_mirror::skipped::{SkipReason, Skipped};
use canonry_mirror::work_tree::{WorkTreeMirrors, WorkTreePlan, plan_work_tree};
use canonry_mirror::{Lock, MirrorRoot, SyncPlan};
use canonry_model::canon::{FileMode, FileState};
use canonry_model::config::is_mirror_path;
use canonry_model::edit::{Edit, EditContent, OverwriteMode};
use canonry_repo::apply::{Session, unfinished};
use canonry_repo::fs::failpoint;
use canonry_repo::git::commit::{Staging, ToStage};
use canonry_repo::view::{Basis, PathKind, View};
use canonry_text::RepoPath;
use std::collections::BTreeSet;

/// Syncs the staged canon; `None` if none of its files is staged or committed.
///
/// # Errors
/// The index is locked, or see [`Error`].
pub fn sync_staged(request: &SyncRequest, workspace: &Workspace) -> Result<Option<CanonOutcome>, Error> {
    let is_submodule = workspace.view.is_submodule(workspace.layout.root());
    if !workspace.has_canon() && !is_submodule {
        return Ok(None);
    }
    workspace.require_canon()?;
    let staged = StagedSync::plan(workspace)?;
    if request.mode == SyncMode::Preview {
        return super::preview(request, workspace, &staged.state).map(Some);
    }
    if staged.has_conflict() {
        return Ok(Some(staged.refusal(workspace)));
    }
    if staged.is_up_to_date() {
        return Ok(Some(staged.outcome(workspace)));
    }
    let mut session = Session::begin(&workspace.git_dir()?)?;
    let staging = Staging::begin(workspace.repo()?)?;
    // Plan again, now that nobody else can change the index.
    let workspace = Workspace::open(&workspace.env, &Basis::Index)?;
    let staged = StagedSync::plan(&workspace)?;
    // The index is written last: it decides whether a run that was killed is repeated.
    let work_tree = WorkTree::load(&workspace, &mut session);
    let mut outcome = staged.outcome(&workspace);
    let index = &staged.state.survey.recorded;
    session.remember(&changes_between(index, &staged.plan.lock, &[]), &staged.plan.lock)?;
    let changes = match work_tree {
        Ok(tree) => {
            outcome.left_in_work_tree = tree.update(&staged, &workspace, &mut session)?;
            outcome.left_in_work_tree.retain(|path| !staged.ignored.contains(path));
            staged.index_changes(&workspace, &tree.workspace.view)?
        }
        Err(error) => {
            outcome.work_tree_error = Some(error.message);
            staged.index_changes(&workspace, &workspace.open_view(&Basis::WorkTree)?)?
        }
    };
    staging.put(workspace.repo()?, &changes)?;
    trust::pin_written_here(&workspace, &staged.state.written_here);
    Ok(Some(outcome))
}

/// The changes to the index.
struct StagedSync {
    state: SyncState,
    plan: SyncPlan,
    /// The new text of the lock, if it changes.
    lock: Option<(RepoPath, Vec<u8>)>,
    /// Paths that git ignores, and that are therefore not staged.
    ignored: BTreeSet<RepoPath>,
}

impl StagedSync {
    fn plan(workspace: &Workspace) -> Result<Self, Error> {
        let state = SyncState::load(workspace, &workspace.view, owned_in_index(workspace)?)?;
        let plan = state.plan(OverwriteMode::OwnedOnly);
        let lock = shared_lock_change(workspace, &plan.lock, state.owns_nothing(&plan));
        let is_unchanged = plan.edits.is_empty() && lock.is_none();
        let paths = plan.edits.iter().map(|edit| edit.path().clone()).chain([workspace.layout.lock()]);
        let ignored =
            if is_unchanged { BTreeSet::new() } else { workspace.view.ignored(&paths.collect::<Vec<_>>())? };
        let lock = lock.filter(|(path, _)| !ignored.contains(path));
        Ok(Self { state, plan, lock, ignored })
    }

    fn is_up_to_date(&self) -> bool {
        self.lock.is_none() && self.edits().next().is_none()
    }

    /// Whether files that mirrors are made from are unmerged. Then no version of them is staged.
    fn has_conflict(&self) -> bool {
        let is_conflict = |skipped: &Skipped| matches!(skipped.reason, SkipReason::UnresolvedConflict { .. });
        self.state.survey.desired.skipped.iter().any(is_conflict)
    }

    /// The outcome if nothing is staged because of a conflict.
    fn refusal(&self, workspace: &Workspace) -> CanonOutcome {
        let plan = SyncPlan { lock: self.plan.lock.clone(), ..SyncPlan::default() };
        let mut outcome = CanonOutcome::preview(workspace, &self.state, &plan);
        outcome.overwrites_refused = outcome.refused.len();
        outcome
    }

    /// The edits that are staged.
    fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.plan.edits.iter().filter(|edit| !self.ignored.contains(edit.path()))
    }

    /// Stores the objects that do not exist yet. A copied file needs none: it is the canon's object.
    fn index_changes(&self, workspace: &Workspace, tree: &View) -> Result<Vec<ToStage>, Error> {
        let mut probe = tree.probe();
        let mut on_disk =
            |path: &RepoPath, now: FileState| tree.on_disk(path).filter(|_| probe.state(path) == Some(now));
        let mut changes = Vec::new();
        for edit in self.edits() {
            if let Edit::Write { content: EditContent::Link(text), .. } = edit {
                store(workspace, text)?;
            }
            if let Edit::Write { content: EditContent::Bytes(bytes), .. } = edit {
                store(workspace, bytes)?;
            }
            let now = edit.now();
            let on_disk = now.and_then(|now| on_disk(edit.path(), now));
            changes.push(ToStage { path: tree.full(edit.path()).as_bstr().to_owned(), now, on_disk });
        }
        if let Some((path, text)) = &self.lock {
            let now = FileState { id: store(workspace, text)?, mode: FileMode::File };
            let on_disk = on_disk(path, now);
            changes.push(ToStage { path: tree.full(path).as_bstr().to_owned(), now: Some(now), on_disk });
        }
        Ok(changes)
    }

    fn outcome(&self, workspace: &Workspace) -> CanonOutcome {
        let mut plan = self.plan.clone();
        plan.edits.retain(|edit| !self.ignored.contains(edit.path()));
        let outcome = CanonOutcome::preview(workspace, &self.state, &plan);
        let roots = workspace.config.known_targets().into_iter().map(|target| target.skills_root());
        let ignored_mirrors = roots.filter(|root| self.ignored.iter().any(|path| path.is_within(root))).collect();
        CanonOutcome { untracks_mirrors: workspace.config.files.git.ignore, ignored_mirrors, ..outcome }
    }
}

fn store(workspace: &Workspace, bytes: &[u8]) -> Result<gix::ObjectId, Error> {
    let repo = workspace.repo()?;
    let stored = failpoint::reach("object").map_err(gix::Error::from_error);
    let stored = stored.and_then(|()| repo.write_blob(bytes).map(|id| id.detach()));
    stored.map_err(|e| Error::new(ErrorKind::Internal, format!("git object not stored: {e}")))
}

/// Files owned in the index besides the entries of its lock: what an unfinished run wrote, and what the lock that is not
/// committed names. The committed lock counts as it is in the index.
///
/// # Errors
/// The files are in memory.
pub fn owned_in_index(workspace: &Workspace) -> Result<Vec<(RepoPath, FileState)>, Error> {
    let mut owned = unfinished(&workspace.git_dir()?);
    owned.extend(lock_on_disk(workspace, &workspace.layout.local_lock()));
    Ok(owned)
}

/// The entries of a lock in the work tree; empty if it cannot be read.
fn lock_on_disk(workspace: &Workspace, lock: &RepoPath) -> Vec<(RepoPath, FileState)> {
    let Some(path) = workspace.view.on_disk(lock) else { return Vec::new() };
    let is_file = std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file());
    let bytes = canonry_repo::fs::read(path).ok().filter(|_| is_file);
    bytes.map(|bytes| parse_lock(&bytes).entries().to_vec()).unwrap_or_default()
}

/// In a lock with a merge conflict, the entries of both sides count. An invalid lock owns nothing, so that nothing is
/// overwritten because of it.
fn parse_lock(bytes: &[u8]) -> Lock {
    Lock::parse(bytes).or_else(|_| Lock::parse_conflicted(bytes)).unwrap_or_default()
}

/// The work tree, which may hold another canon than the index.
struct WorkTree {
    workspace: Workspace,
    state: SyncState,
    lock: Lock,
}

impl WorkTree {
    fn load(staged: &Workspace, session: &mut Session) -> Result<Self, Error> {
        let workspace = Workspace::open(&staged.env, &Basis::WorkTree)?;
        let root = workspace.layout.root();
        let staged_root = staged.layout.root();
        if root != staged_root {
            let message = format!("the work tree's canon is `{root}`, the staged one is `{staged_root}`");
            return Err(Error::new(ErrorKind::Refused, message));
        }
        let state = SyncState::load(&workspace, &workspace.view, session.pending())?;
        let locks = [workspace.layout.lock(), workspace.layout.local_lock()];
        let lock = Lock::new(locks.iter().flat_map(|lock| lock_on_disk(&workspace, lock)).collect());
        session.sweep(&workspace.view)?;
        // The journal of an unfinished run is cleared at the end of this one, so the lock must own its files.
        let lock = lock.with(session.pending());
        Ok(Self { workspace, state, lock })
    }

    /// Writes the unedited mirrors; returns the paths of edited ones.
    fn update(&self, staged: &StagedSync, index: &Workspace, session: &mut Session) -> Result<Vec<RepoPath>, Error> {
        let survey = &self.state.survey;
        let ours = survey.lock.with(staged.state.survey.lock.entries().iter().cloned());
        let mirrors =
            WorkTreeMirrors { desired: &survey.desired, state: &survey.actual, owned: &ours, lock: &self.lock };
        let is_mirrored = |edit: &Edit| is_mirror_path(edit.path());
        let (mirrored, tool_files): (Vec<Edit>, Vec<Edit>) = staged.plan.edits.iter().cloned().partition(is_mirrored);
        let mut plan = plan_work_tree(&SyncPlan { edits: mirrored, ..staged.plan.clone() }, &mirrors);
        self.add_tool_files(&mut plan, &tool_files, &staged.plan.lock);
        let edits = self.with_contents(&mut plan, index)?;
        let before = &self.lock;
        let after = &plan.lock;
        let edits = LockedEdits {
            edits: &edits,
            back_up: &[],
            before,
            recorded: before,
            refused: &self.state.plan(OverwriteMode::OwnedOnly).refused,
            after,
            owns_nothing: after.is_empty(),
            left: &[],
        };
        let applied = write_edits(&self.workspace, session, &edits)?;
        session.first_sync_is_done();
        plan.edited.extend(applied.conflicts);
        Ok(plan.edited)
    }

    /// Adds the edits of tool files outside the mirrors.
    fn add_tool_files(&self, mirrors: &mut WorkTreePlan, edits: &[Edit], staged: &Lock) {
        let tool_files = work_tree::plan_work_tree(edits, self.current_states());
        let mirrored = mirrors.lock.entries();
        let tree = self.lock.entries();
        let staged = staged.entries();
        mirrors.lock =
            Lock::new(tool_files.lock_entries(&StagedLocks { mirrors: mirrored, work_tree: tree, index: staged }));
        mirrors.index_edits.extend(tool_files.edits);
        mirrors.equal.extend(tool_files.equal);
        mirrors.edited.extend(tool_files.edited);
    }

    /// The state at the path of an edit outside the mirrors. A file that a sparse checkout leaves out has the state of the
    /// index.
    fn current_states(&self) -> impl FnMut(&Edit) -> CurrentState {
        let view = &self.workspace.view;
        let mut probe = view.probe();
        move |edit| {
            let path = edit.path();
            if view.is_outside_checkout(path) {
                return CurrentState::Known(edit.now());
            }
            let is_in_folder = path.parent().is_some_and(|parent| view.root(&parent) == MirrorRoot::Folder);
            if is_in_folder && view.kind(path) != PathKind::Folder {
                CurrentState::Known(probe.state(path))
            } else {
                CurrentState::Unwritable
            }
        }
    }

    /// All edits, removals first. A staged content that no file of the work tree holds is read from the index.
    fn with_contents(&self, plan: &mut WorkTreePlan, index: &Workspace) -> Result<Vec<Edit>, Error> {
        let mut edits = std::mem::take(&mut plan.edits);
        for mut edit in std::mem::take(&mut plan.index_edits) {
            if let Edit::Write { path, content, now, .. } = &mut edit
                && let EditContent::CopyOf(_) = content
            {
                *content = EditContent::Bytes(index.view.checked_out(path, now.id)?);
            }
            edits.push(edit);
        }
        edits.sort_by_key(|edit| (edit.now().is_some(), edit.path().clone()));
        Ok(edits)
    }
}
