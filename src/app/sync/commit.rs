//! `--commit`: commits the mirrored canon files, the mirrors that canonry owns, and the lock.

use crate::app::configuration::{self, Origin};
use crate::app::sync::outcome::SyncCommit;
use crate::app::sync::request::CommitRequest;
use crate::app::sync::state::SyncState;
use crate::app::{Error, Workspace};
use crate::canon::{Blob, FileState};
use crate::config::{Config, ToolFilesConfig};
use crate::edit::EditContent;
use crate::git::commit::{self as git_commit, Committed, Selection};
use crate::mirror::{Lock, SyncPlan};
use crate::syntax::RepoPath;
use crate::toolfiles::{self, ManagedPart};
use crate::view::load::DOCUMENT_LIMIT;
use crate::view::tool_files::{may_be_owned, without_managed_parts};
use crate::view::{Basis, PathKind, View};
use gix::bstr::BString;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashMap};

/// The message of a commit that gives none.
const DEFAULT_MESSAGE: &str = "Sync skills to their mirrors";

/// The paths of a commit. All paths start at the top of the repository.
#[derive(Default)]
pub struct CommitPaths {
    paths: BTreeSet<RepoPath>,
    /// Shared files that are not committed, because they also hold uncommitted changes of the user.
    left_out: BTreeSet<RepoPath>,
}

impl CommitPaths {
    /// Collects literal paths: the mirrored canon files, those removed from the canon, the mirrors that are or were owned,
    /// and the lock. A commit of these never holds a canon and mirrors that disagree.
    pub fn collect(workspace: &Workspace, state: &SyncState, plan: &SyncPlan) -> Self {
        let head = Head::open(workspace);
        let mut paths = owned_paths(workspace, state, plan, &head.lock);
        let shared: BTreeSet<RepoPath> =
            paths.iter().filter_map(ManagedPart::from_lock_path).map(|(file, _)| file).collect();
        paths.retain(|path| ManagedPart::from_lock_path(path).is_none());
        let relevant = toolfiles::relevant_files(&state.survey.tool_files.desired, plan.lock.entries());
        let has_user_changes = |file: &&RepoPath| head.has_user_changes(workspace, file, &plan.lock);
        let held_back: BTreeSet<RepoPath> = shared.union(&relevant).filter(has_user_changes).cloned().collect();
        paths.extend(shared.difference(&held_back).cloned());
        let skills = workspace.layout.skills();
        let sources = state.survey.tool_files.desired.parts.iter().map(|piece| piece.canon.clone());
        paths.extend(sources.filter(|path| !path.is_within(&skills)));
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
        Self {
            paths: paths.iter().map(full).collect(),
            left_out: relevant.intersection(&held_back).map(full).collect(),
        }
    }

    /// Whether a commit would find nothing to commit after a sync that wrote nothing, because the work tree, the index and
    /// HEAD agree about every path that [`CommitPaths::collect`] could collect. This only compares ids that the sync has
    /// read already. If in doubt, the answer is `false`.
    pub fn is_up_to_date(workspace: &Workspace, state: &SyncState, plan: &SyncPlan) -> bool {
        let view = &workspace.view;
        let Some(staged) = view.staged_changes() else { return false };
        let (skills, overlays) = (workspace.layout.skills(), workspace.layout.overlays());
        let mut probe = view.probe();
        let survey = &state.survey;
        // Files that are read one by one: there are few of them.
        let mut others: BTreeSet<RepoPath> = toolfiles::relevant_files(&survey.tool_files.desired, plan.lock.entries());
        others.extend(survey.overlays.used.iter().cloned());
        others.extend(view.tracked(&overlays));
        others.extend(survey.tool_files.desired.parts.iter().map(|part| part.canon.clone()));
        let layout = &workspace.layout;
        others.extend([layout.lock(), layout.skills_lock(), layout.config(), RepoPath::from("canonry.yaml")]);
        let canon = canon_states(state);
        others.extend(survey.desired.sources().filter(|path| !canon.contains_key(path)).cloned());
        let entries = survey.lock.entries().iter().chain(plan.lock.entries()).map(|(path, _)| path);
        let (parts, mirrors): (Vec<&RepoPath>, Vec<&RepoPath>) =
            entries.partition(|path| ManagedPart::from_lock_path(path).is_some());
        others.extend(parts.into_iter().filter_map(ManagedPart::from_lock_path).map(|(file, _)| file));
        let is_candidate = |path: &RepoPath| {
            path.is_within(&skills) || path.is_within(&overlays) || may_be_owned(path) || others.contains(path)
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
    }

    /// Commits the paths.
    pub fn commit(self, workspace: &Workspace, request: &CommitRequest) -> SyncCommit {
        let result = self.write_commit(workspace, request);
        SyncCommit { result, left_out: self.left_out.into_iter().collect() }
    }

    /// Takes the index's lock only if there are paths, or if the message must be refused.
    fn write_commit(&self, workspace: &Workspace, request: &CommitRequest) -> Result<Option<Committed>, Error> {
        let paths: Vec<BString> = self.paths.iter().map(|path| path.as_bstr().to_owned()).collect();
        let message = request.message.as_deref().unwrap_or(DEFAULT_MESSAGE);
        if paths.is_empty() && !message.trim().is_empty() {
            return Ok(None);
        }
        Ok(git_commit::commit(
            workspace.repo()?,
            &git_commit::CommitRequest {
                selection: Selection::Literal(&paths),
                message,
                hooks: workspace.env.git_hooks,
            },
        )?)
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

/// Files of the canon and entries of the locks, before and after. `committed` is the lock in HEAD.
fn owned_paths(workspace: &Workspace, state: &SyncState, plan: &SyncPlan, committed: &Lock) -> BTreeSet<RepoPath> {
    let survey = &state.survey;
    let mut paths: BTreeSet<RepoPath> = survey.desired.sources().cloned().collect();
    // A file that a sparse checkout leaves out still exists.
    let is_gone = |path: &RepoPath| workspace.view.kind(path) == PathKind::Nothing;
    paths.extend(survey.overlays.used.iter().cloned());
    for folder in [workspace.layout.skills(), workspace.layout.overlays()] {
        paths.extend(workspace.view.tracked(&folder).filter(is_gone));
    }
    paths.extend(plan.lock.entries().iter().map(|(path, _)| path.clone()));
    // Mirrors that an earlier run removed are still in HEAD, whose lock names them.
    paths.extend(committed.entries().iter().map(|(path, _)| path.clone()).filter(is_gone));
    paths.extend(survey.lock.entries().iter().map(|(path, _)| path.clone()));
    // Whatever a lock says, only the canon and what sync writes is committed.
    let skills = workspace.layout.skills();
    let overlays = workspace.layout.overlays();
    let canon: BTreeSet<&RepoPath> = survey.desired.files.iter().map(|want| &want.canon).collect();
    let is_canon = |path: &RepoPath| path.is_within(&skills) || path.is_within(&overlays) || canon.contains(path);
    paths.retain(|path| is_canon(path) || may_be_owned(path));
    paths
}

/// The commit that HEAD names.
struct Head {
    /// `None` before the first commit.
    view: Option<View>,
    /// Empty if HEAD has no readable lock.
    lock: Lock,
}

impl Head {
    fn open(workspace: &Workspace) -> Self {
        let view = workspace.open_view(&Basis::Commit("HEAD".to_owned())).ok();
        let lock = match view.as_ref().map(|head| head.read(&workspace.layout.lock(), u64::MAX)) {
            Some(Blob::Bytes(bytes)) => Lock::parse(&bytes).unwrap_or_default(),
            _ => Lock::default(),
        };
        Self { view, lock }
    }

    /// Whether the committed config gives the same mirrors. Without a config the defaults apply.
    fn mirrors_as(&self, workspace: &Workspace) -> bool {
        let read = |path: RepoPath| match self.view.as_ref()?.read(&path, DOCUMENT_LIMIT) {
            Blob::Bytes(bytes) => Some(configuration::parse(&path, bytes)),
            Blob::Missing(_) => None,
        };
        match [RepoPath::from("canonry.yaml"), workspace.layout.config()].into_iter().find_map(read) {
            None => workspace.config.has_same_mirrors(&Config::default()),
            Some(committed) => committed.is_ok_and(|committed| workspace.config.has_same_mirrors(&committed)),
        }
    }

    /// Whether a shared file differs from HEAD by more than the parts that `lock` owns.
    fn has_user_changes(&self, workspace: &Workspace, file: &RepoPath, lock: &Lock) -> bool {
        let here = without_managed_parts(&workspace.view, file, lock);
        match &self.view {
            Some(head) => here != without_managed_parts(head, file, &self.lock),
            None => here.is_some(),
        }
    }
}

/// The config, if it belongs to the repository and changes the mirrors or the tool files that sync writes.
fn config_paths(workspace: &Workspace, before: &Lock, head: &Head) -> Vec<RepoPath> {
    let had_tool_files = before.entries().iter().any(|(path, _)| toolfiles::is_tool_file_entry(path));
    let has_tool_files = workspace.config.files != ToolFilesConfig::default() || had_tool_files;
    if !has_tool_files && head.mirrors_as(workspace) {
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
