//! The paths of `--commit`: the files that mirrors are made from, the mirrors that canonry owns, and the lock.

use crate::configuration::Origin;
use crate::sync::state::SyncState;
use crate::{Error, Workspace};
use canonry_agents::{self as toolfiles, ManagedPart, required_sources};
use canonry_mirror::{Lock, SyncPlan};
use canonry_model::canon::FileState;
use canonry_model::config::{Config, ToolFilesConfig};
use canonry_model::edit::EditContent;
use canonry_repo::view::tool_files::{may_be_owned, without_managed_parts};
use canonry_repo::view::{Basis, IgnoreMode, PathKind, locks};
use canonry_text::RepoPath;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};

/// The paths of a commit. All paths start at the top of the repository.
#[derive(Default)]
pub struct CommitPaths {
    pub paths: BTreeSet<RepoPath>,
    /// Shared files that are not committed, because they also hold uncommitted changes of the user.
    pub left_out: BTreeSet<RepoPath>,
    /// Files in mirrors that the sync left alone, because the user changed them.
    pub refused: BTreeSet<RepoPath>,
    /// The folders of the canons.
    pub bases: BTreeSet<RepoPath>,
}

impl CommitPaths {
    /// Collects literal paths: the files that mirrors are made from in the work tree, in the index or in HEAD, the mirrors
    /// that are or were owned, and the lock. So the commit has the canon that was mirrored, whatever of it was staged.
    ///
    /// # Errors
    /// A folder of the canon cannot be listed.
    pub fn collect(workspace: &Workspace, state: &SyncState, plan: &SyncPlan) -> Result<Self, Error> {
        let head = Head::open(workspace);
        let mut paths = owned_paths(workspace, state, plan, &head)?;
        let shared: BTreeSet<RepoPath> =
            paths.iter().filter_map(ManagedPart::from_lock_path).map(|(file, _)| file).collect();
        paths.retain(|path| ManagedPart::from_lock_path(path).is_none());
        let relevant = toolfiles::relevant_files(&state.survey.tool_files.desired, plan.lock.entries());
        let has_user_changes = |file: &&RepoPath| head.has_user_changes(workspace, file, &plan.lock);
        let held_back: BTreeSet<RepoPath> = shared.union(&relevant).filter(has_user_changes).cloned().collect();
        paths.extend(shared.difference(&held_back).cloned());
        paths.extend(config_paths(workspace, &state.survey.lock, &head));
        // A mirror that the user edited stays out: it would be committed as if it were the canon's.
        let refused: BTreeSet<&RepoPath> = plan.refused.iter().map(|refusal| &refusal.path).collect();
        paths.retain(|path| !refused.contains(path));
        if workspace.config.files.git.ignore {
            paths.retain(|path| !workspace.config.is_in_mirror(path));
        }
        // The pins of skills from elsewhere belong to the skills.
        paths.extend([workspace.layout.lock(), workspace.layout.skills_lock()]);
        let full = |path: &RepoPath| workspace.view.full(path);
        Ok(Self {
            paths: paths.iter().map(full).collect(),
            left_out: relevant.intersection(&held_back).map(full).collect(),
            refused: refused.into_iter().map(full).collect(),
            bases: BTreeSet::from([workspace.view.base().clone()]),
        })
    }

    /// Whether a commit would find nothing to commit after a sync that wrote nothing, because the work tree, the index and
    /// HEAD agree about every path that [`CommitPaths::collect`] could collect. This only compares ids that the sync has
    /// read already. If in doubt, the answer is `false`.
    pub fn is_up_to_date(workspace: &Workspace, state: &SyncState, plan: &SyncPlan) -> bool {
        let view = &workspace.view;
        let Some(staged) = view.staged_changes() else { return false };
        let skills = workspace.layout.skills();
        let overlays = workspace.layout.overlays();
        let mut probe = view.probe();
        let survey = &state.survey;
        // Files that are read one by one: there are few of them.
        let mut others: BTreeSet<RepoPath> = toolfiles::relevant_files(&survey.tool_files.desired, plan.lock.entries());
        let layout = &workspace.layout;
        let sources = required_sources(layout, &workspace.config.files);
        others.extend(survey.overlays.used.iter().cloned());
        for folder in sources.iter().chain([&overlays]) {
            others.extend(view.tracked(folder));
            let Ok(listing) = view.list(folder, IgnoreMode::Exclude) else { return false };
            others.extend(listing.files.into_iter().map(|file| file.entry.path));
        }
        others.extend([layout.lock(), layout.skills_lock(), layout.config(), RepoPath::from("canonry.yaml")]);
        let canon = canon_states(state);
        others.extend(survey.desired.sources().filter(|path| !canon.contains_key(path)).cloned());
        let entries = survey.lock.entries().iter().chain(plan.lock.entries()).map(|(path, _)| path);
        let (parts, mirrors): (Vec<&RepoPath>, Vec<&RepoPath>) =
            entries.partition(|path| ManagedPart::from_lock_path(path).is_some());
        others.extend(parts.into_iter().filter_map(ManagedPart::from_lock_path).map(|(file, _)| file));
        let is_candidate = |path: &RepoPath| {
            let is_source = [&skills, &overlays].into_iter().chain(&sources).any(|folder| path.is_within(folder));
            is_source || may_be_owned(path) || others.contains(path)
        };
        let is_mirror_staged = |path: &RepoPath| view.staged_state(path) == survey.actual.state(path);
        let is_listed = |path: &RepoPath| state.canon_files.binary_search_by(|entry| entry.path.cmp(path)).is_ok();
        !staged.iter().any(is_candidate)
            && canon.par_iter().all(|(path, state)| view.staged_state(path) == Some(*state))
            && mirrors.par_iter().all(|path| is_mirror_staged(path))
            && view.tracked(&skills).all(|path| is_listed(&path))
            && others.iter().all(|path| view.staged_state(path) == probe.state(path))
    }

    /// Adds the paths of another canon.
    pub fn extend(&mut self, other: Self) {
        self.paths.extend(other.paths);
        self.left_out.extend(other.left_out);
        self.refused.extend(other.refused);
        self.bases.extend(other.bases);
    }
}

/// The states of the canon files that are copied as they are.
fn canon_states(state: &SyncState) -> HashMap<&RepoPath, FileState> {
    let copies = state.survey.desired.files.iter().filter(|file| {
        let is_copy = matches!(&file.content, EditContent::CopyOf(source) if *source == file.canon);
        is_copy && !state.survey.desired.rendered.contains_key(&file.path)
    });
    copies.map(|file| (&file.canon, file.state)).collect()
}

/// The files that mirrors are made from, and the entries of the locks: in the work tree, in the index and in HEAD.
fn owned_paths(
    workspace: &Workspace,
    state: &SyncState,
    plan: &SyncPlan,
    head: &Head,
) -> Result<BTreeSet<RepoPath>, Error> {
    let view = &workspace.view;
    let survey = &state.survey;
    let mut paths: BTreeSet<RepoPath> = survey.desired.sources().cloned().collect();
    paths.extend(survey.overlays.used.iter().cloned());
    let mut canon = source_folders(workspace);
    canon.extend(head.workspace.iter().flat_map(source_folders));
    let skills = workspace.layout.skills();
    for folder in &canon {
        let here: BTreeSet<RepoPath> = if *folder == skills {
            state.canon_files.iter().map(|entry| entry.path.clone()).collect()
        } else {
            // Files below an unreadable folder are left out of the commit. Those that git tracks are not removed.
            let listing = view.list(folder, IgnoreMode::Exclude)?;
            listing.files.into_iter().map(|file| file.entry.path).collect()
        };
        // A file that git should not have any more may still be on disk.
        let is_gone =
            |path: &RepoPath| !here.contains(path) && (view.kind(path) == PathKind::Nothing || !view.is_tracked(path));
        paths.extend(view.tracked(folder).chain(head.files(folder)?).filter(is_gone));
        // Of skills and overlays, those that are mirrored are known already.
        if !folder.is_within(&skills) && *folder != workspace.layout.overlays() {
            paths.extend(here);
        }
    }
    paths.extend(plan.lock.entries().iter().map(|(path, _)| path.clone()));
    // Mirrors that an earlier run removed are still in HEAD, whose lock names them.
    let is_gone = |path: &RepoPath| view.kind(path) == PathKind::Nothing;
    paths.extend(head.lock.entries().iter().map(|(path, _)| path.clone()).filter(is_gone));
    paths.extend(survey.lock.entries().iter().map(|(path, _)| path.clone()));
    // Whatever a lock says, only the canon and what sync writes is committed.
    let sources: BTreeSet<&RepoPath> = survey.desired.files.iter().map(|want| &want.canon).collect();
    let is_canon = |path: &RepoPath| canon.iter().any(|folder| path.is_within(folder)) || sources.contains(path);
    paths.retain(|path| is_canon(path) || may_be_owned(path));
    Ok(paths)
}

/// The folders and files that mirrors and tool files are made from.
fn source_folders(workspace: &Workspace) -> BTreeSet<RepoPath> {
    let layout = &workspace.layout;
    let sources = required_sources(layout, &workspace.config.files).into_iter();
    sources.chain([layout.skills(), layout.overlays(), layout.lock(), layout.skills_lock()]).collect()
}

/// The commit that HEAD names.
struct Head {
    /// `None` before the first commit, or if its config is invalid.
    workspace: Option<Workspace>,
    /// Empty if HEAD has no valid lock: then only the paths of the current one are committed.
    lock: Lock,
}

impl Head {
    fn open(workspace: &Workspace) -> Self {
        let head = Workspace::open(&workspace.env, &Basis::Commit("HEAD".to_owned())).ok();
        let lock = head.as_ref().map(|head| locks::owned(&head.view, &head.layout)).unwrap_or_default();
        Self { workspace: head, lock }
    }

    fn files(&self, folder: &RepoPath) -> Result<Vec<RepoPath>, Error> {
        let Some(head) = &self.workspace else { return Ok(Vec::new()) };
        let listing = head.view.list(folder, IgnoreMode::Include)?;
        Ok(listing.files.into_iter().map(|file| file.entry.path).collect())
    }

    /// Whether the committed config gives the same mirrors. Without a commit the defaults apply.
    fn mirrors_as(&self, config: &Config) -> bool {
        match &self.workspace {
            Some(head) => config.has_same_mirrors(&head.config),
            None => config.has_same_mirrors(&Config::default()),
        }
    }

    /// Whether a shared file differs from HEAD by more than the parts that `lock` owns.
    fn has_user_changes(&self, workspace: &Workspace, file: &RepoPath, lock: &Lock) -> bool {
        let here = without_managed_parts(&workspace.view, file, lock);
        match &self.workspace {
            Some(head) => here != without_managed_parts(&head.view, file, &self.lock),
            None => here.is_some(),
        }
    }
}

/// The config, if it belongs to the repository and changes the mirrors or the tool files that sync writes.
fn config_paths(workspace: &Workspace, before: &Lock, head: &Head) -> Vec<RepoPath> {
    let had_tool_files = before.entries().iter().any(|(path, _)| toolfiles::is_tool_file_entry(path));
    let has_tool_files = workspace.config.files != ToolFilesConfig::default() || had_tool_files;
    if !has_tool_files && head.mirrors_as(&workspace.config) {
        return Vec::new();
    }
    let top = RepoPath::from("canonry.yaml");
    let exists = |path: &RepoPath| workspace.view.on_disk(path).is_some_and(|path| path.exists());
    match workspace.origin {
        Origin::Canon => vec![workspace.layout.config()],
        Origin::Top if exists(&RepoPath::from("canonry.local.yaml")) => Vec::new(),
        Origin::Top => vec![top],
        Origin::Elsewhere => {
            let is_tracked = |path: &RepoPath| workspace.view.tracked(path).next().is_some();
            [top, workspace.layout.config()].into_iter().filter(|path| is_tracked(path) && !exists(path)).collect()
        }
    }
}
