//! What stood in the repository before what is looked at.

use super::{Basis, Resolved, View, ViewError, tree_at, trees};
use crate::syntax::RepoPath;
use std::collections::BTreeMap;

impl View {
    /// Of the folder `base`: the last commit, or for a commit its first parent. Only files are read of it, so git's index is not.
    ///
    /// # Errors
    /// [`ViewError::Revision`] where there is none.
    pub fn before(repo: &gix::Repository, basis: &Basis, base: &RepoPath) -> Result<Self, ViewError> {
        let rev = match basis {
            Basis::WorkTree | Basis::Index => "HEAD".to_owned(),
            Basis::Commit(rev) => format!("{rev}^"),
        };
        let basis = Resolved::Commit(tree_at(repo, &rev, base)?);
        let state = gix::index::State::new(repo.object_hash());
        let index = gix::index::File::from_state(state, repo.index_path());
        Ok(Self {
            repo: repo.clone().into_sync(),
            base: base.clone(),
            workdir: None,
            index,
            whole_index: None,
            basis,
            revision: rev,
            shared: trees::Shared::default(),
            overlay: BTreeMap::new(),
            kept: super::kept::Kept::default(),
            heeds_ignore_rules: true,
        })
    }
}
