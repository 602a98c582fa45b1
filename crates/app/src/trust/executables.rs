//! Which entries that make tools execute commands count: those that the user trusts, and those that were written in this
//! work tree.

use super::store::{TrustStore, TrustedFile, digest, repository_identity};
use crate::{Error, RepositoryScope, Workspace};
use canonry_agents::Executable;
use canonry_repo::git::commit::operation_in_progress;
use canonry_repo::view::tool_files::load_executables;
use canonry_repo::view::{Basis, View};
use canonry_text::RepoPath;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashSet};

/// The trust of the user in the entries of a canon. Nothing is read until an entry is asked for.
pub(crate) struct ExecutableTrust<'a> {
    workspace: &'a Workspace,
    view: &'a View,
    /// The digests of the trusted entries of this repository, with their file.
    trusted: OnceCell<HashSet<(String, String)>>,
    /// The entries of HEAD; `None` if the view cannot show what was written here.
    committed: OnceCell<Option<BTreeSet<Executable>>>,
    written_here: RefCell<Vec<Executable>>,
}

impl<'a> ExecutableTrust<'a> {
    pub fn new(workspace: &'a Workspace, view: &'a View) -> Self {
        let trusted = OnceCell::new();
        let committed = OnceCell::new();
        let written_here = RefCell::default();
        Self { workspace, view, trusted, committed, written_here }
    }

    /// Whether an entry counts. The user's own canon needs no trust, and files in no repository are written nowhere.
    pub fn trusts(&self, entry: &Executable) -> bool {
        let Ok(repo) = self.workspace.repo() else { return true };
        if self.workspace.env.scope == RepositoryScope::User {
            return true;
        }
        let path = self.view.full(&entry.canon(&self.workspace.layout)).to_display();
        let trusted = self.trusted.get_or_init(|| {
            let identity = repository_identity(repo.git_dir());
            // A list that cannot be read trusts nothing.
            let store = TrustStore::load(self.workspace.env.state.as_deref()).unwrap_or_default();
            let own = store.files.into_iter().filter(|file| file.repository == identity);
            own.map(|file| (file.path, file.digest)).collect()
        });
        if trusted.contains(&(path, entry_digest(entry))) {
            return true;
        }
        let committed = self.committed.get_or_init(|| self.committed(repo));
        let is_written_here = committed.as_ref().is_some_and(|committed| !committed.contains(entry));
        if is_written_here {
            self.written_here.borrow_mut().push(entry.clone());
        }
        is_written_here
    }

    /// The entries that count because they were written in this work tree.
    pub fn into_written_here(self) -> Vec<Executable> {
        self.written_here.into_inner()
    }

    /// Changes by a merge or a rebase come from elsewhere, and changes by an agent do not count either.
    fn committed(&self, repo: &gix::Repository) -> Option<BTreeSet<Executable>> {
        let git = self.view.git()?;
        let is_foreign = git.is_commit() || operation_in_progress(repo).is_some() || self.workspace.env.agent.is_some();
        // `git merge --squash` leaves no other trace.
        if is_foreign || repo.git_dir().join("SQUASH_MSG").exists() {
            return None;
        }
        if repo.head().is_ok_and(|head| head.is_unborn()) {
            return Some(BTreeSet::new());
        }
        // Without it, nothing counts as written here.
        let head = self.workspace.open_view(&Basis::Commit("HEAD".to_owned())).ok()?;
        Some(load_executables(&head, &self.workspace.layout))
    }
}

/// Trusts entries that were written in this work tree from now on, also once they are committed. Without a folder for the
/// user's state, they are trusted only until then; nothing that a tool already has is lost.
pub(crate) fn pin_written_here(workspace: &Workspace, entries: &[Executable]) {
    let (Ok(repo), false) = (workspace.repo(), entries.is_empty()) else { return };
    let identity = repository_identity(repo.git_dir());
    let state = workspace.env.state.as_deref();
    let Ok(mut store) = TrustStore::load(state) else { return };
    let time = workspace.env.clock.now().to_string();
    store.extend(entries.iter().map(|entry| {
        let path = workspace.view.full(&entry.canon(&workspace.layout));
        trusted_entry(&identity, &path, entry, &time)
    }));
    // What cannot be recorded is asked about again.
    let _ = store.save(state);
}

/// Trusts the entries of canonical files that this run wrote.
///
/// # Errors
/// The work tree cannot be read.
pub(crate) fn pin_files(workspace: &Workspace, written: &[RepoPath]) -> Result<(), Error> {
    let layout = &workspace.layout;
    let has_entries = [layout.hooks(), layout.mcp(), layout.permissions()].iter().any(|path| written.contains(path));
    if !has_entries || workspace.env.agent.is_some() {
        return Ok(());
    }
    let entries = load_executables(&workspace.open_view(&Basis::WorkTree)?, layout).into_iter();
    let own: Vec<Executable> = entries.filter(|entry| written.contains(&entry.canon(layout))).collect();
    pin_written_here(workspace, &own);
    Ok(())
}

/// The record of a trusted entry.
pub(super) fn trusted_entry(identity: &str, path: &RepoPath, entry: &Executable, time: &str) -> TrustedFile {
    TrustedFile {
        repository: identity.to_owned(),
        path: path.to_display(),
        digest: entry_digest(entry),
        entry: Some(entry.to_string()),
        time: time.to_owned(),
    }
}

fn entry_digest(entry: &Executable) -> String {
    digest(entry.identity().as_bytes())
}
