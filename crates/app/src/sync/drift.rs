//! Drift in a tree: whether it has the mirrors of its own canon.

use crate::sync::plan::drop_ignored_tool_files;
use crate::sync::state::SyncState;
use crate::{Environment, Error, Workspace};
use canonry_model::edit::{Edit, OverwriteMode};
use canonry_repo::view::Basis;
use canonry_text::RepoPath;
use gix::ObjectId;
use std::collections::BTreeSet;

/// The mirrors, tool files and lines of the lock that `check` would find wrong in a commit with this tree, in the canons of
/// `bases`. Paths start at the top of the repository.
///
/// # Errors
/// The config or the lock in the tree is invalid.
pub fn find_drift(env: &Environment, bases: &BTreeSet<RepoPath>, tree: ObjectId) -> Result<BTreeSet<RepoPath>, Error> {
    let mut found = BTreeSet::new();
    for base in bases {
        let env = Environment { base: base.clone(), ..env.clone() };
        let workspace = Workspace::open(&env, &Basis::Commit(tree.to_string()))?;
        let state = SyncState::load_commit(&workspace)?;
        let mut plan = state.plan(OverwriteMode::OwnedOnly);
        if plan.never_synced {
            continue;
        }
        drop_ignored_tool_files(&workspace, &mut plan)?;
        let edits = plan.edits.iter().map(Edit::path);
        let refused = plan.refused.iter().map(|refusal| &refusal.path);
        let lines = plan.lock_drift.missing.iter().chain(&plan.lock_drift.stale);
        let lock = workspace.layout.lock();
        let lines = lines.chain(state.survey.lock_conflict.then_some(&lock));
        found.extend(edits.chain(refused).chain(lines).map(|path| workspace.view.full(path)));
    }
    Ok(found)
}
