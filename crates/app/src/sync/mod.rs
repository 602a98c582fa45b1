//! `sync`: brings the mirrors and the managed parts of tool files in line with the canon.

mod adopt;
mod awaited_trust;
mod commit;
mod commit_paths;
mod drift;
mod outcome;
pub(super) mod plan;
pub(super) mod registry;
mod renamed;
mod request;
pub(super) mod reverse_merge;
mod rounds;
pub(super) mod same_name;
pub(super) mod staged;
pub(super) mod state;
pub(super) mod watch;
pub(super) mod write;

pub use awaited_trust::AwaitedTrust;
pub use canonry_mirror::RefusalReason;
pub use canonry_mirror::skipped::SkipReason;
pub use canonry_model::config::{ExclusionReason, ToolRow};
pub use canonry_model::edit::OverwriteMode;
pub use canonry_repo::git::commit::Committed;
pub use outcome::{
    CanonOutcome, CanonResult, CanonSync, SyncCommit, SyncOutcome, SyncRefusal, SyncRefusalReason, SyncSeverity,
};
pub use request::{AdoptRequest, DiffSelection, PreferredSide, SyncCommitRequest, SyncMode, SyncRequest};
pub use same_name::SameNameSkills;
pub(super) use state::SyncState;
pub use watch::{WatchEvent, watch};

use crate::canons::{self, Canons};
use crate::diffs::{FileDiff, edit_diffs, forcible_diffs, refusal_diffs};
use crate::{Environment, Error, Progress, RepositoryScope, Workspace, trust};
use adopt::{adopt_paths, plan_adoption};
use canonry_mirror::SyncPlan;
use canonry_repo::apply::{Session, unfinished};
use canonry_repo::view::Basis;
use canonry_text::RepoPath;
use commit_paths::CommitPaths;
use rounds::SyncRun;
use same_name::find_same_names;
use write::write_until_settled;

/// Syncs the canons of the repository around the current folder, or the user's own canon.
///
/// # Errors
/// The repository or its config cannot be used, or its only canon failed. If the repository lists several canons, the
/// error of one is part of the outcome.
pub fn run(env: &Environment, request: &SyncRequest, progress: &dyn Progress) -> Result<SyncOutcome, Error> {
    let scope = if request.user { RepositoryScope::User } else { env.scope };
    let env = &Environment { scope, ..env.clone() };
    let basis = if request.staged { Basis::Index } else { Basis::WorkTree };
    let (workspace, bases) = canons::select(Workspace::open(env, &basis)?, &basis, progress)?;
    let run = SyncRun { request, bases: bases.as_deref(), progress };
    let mut round = run.round(request, &workspace)?;
    let commit = match &request.commit {
        Some(commit) if round.can_be_committed() => Some(run.commit(commit, workspace, &mut round)),
        _ => None,
    };
    Ok(SyncOutcome { canons: round.canons, has_nested_canons: bases.is_some(), commit })
}

/// Preview of a sync around the folder of a workspace. Does not read again what the workspace has read.
///
/// # Errors
/// See [`run`].
pub(super) fn preview_in(workspace: &Workspace, progress: &dyn Progress) -> Result<SyncOutcome, Error> {
    let request = &SyncRequest::preview();
    let canons = canons::find(workspace, progress)?;
    let has_nested_canons = matches!(canons, Canons::Every(_));
    let round = match canons {
        Canons::Own => SyncRun { request, bases: None, progress }.round(request, workspace)?,
        Canons::Nested(base) => {
            let nested = Workspace::open(&Environment { base, ..workspace.env.clone() }, &Basis::WorkTree)?;
            SyncRun { request, bases: None, progress }.round(request, &nested)?
        }
        Canons::Every(bases) => SyncRun { request, bases: Some(&bases), progress }.round(request, workspace)?,
    };
    Ok(SyncOutcome { canons: round.canons, has_nested_canons, commit: None })
}

fn sync_canon(
    request: &SyncRequest,
    workspace: &Workspace,
    paths: &mut CommitPaths,
    progress: &dyn Progress,
) -> Result<CanonResult, Error> {
    if request.staged {
        let outcome = staged::sync_staged(request, workspace)?;
        return Ok(outcome.map_or(CanonResult::NotStaged, |outcome| CanonResult::Synced(Box::new(outcome))));
    }
    // An adopted file may be the first skill of the canon.
    if request.adopt.is_none() {
        workspace.require_canon()?;
    }
    if request.commit.is_some() {
        canonry_repo::git::commit::ready(workspace.repo()?)?;
    }
    let outcome = match request.mode {
        SyncMode::Write => write(request, workspace, paths, progress)?,
        SyncMode::Preview => {
            let state = SyncState::load(workspace, &workspace.view, unfinished(&workspace.git_dir()?))?;
            match &request.adopt {
                Some(adopt) => preview_adoption(adopt, workspace, &state, progress)?,
                None => preview(request, workspace, &state)?,
            }
        }
    };
    Ok(CanonResult::Synced(Box::new(outcome)))
}

fn preview(request: &SyncRequest, workspace: &Workspace, state: &SyncState) -> Result<CanonOutcome, Error> {
    let mut plan = state.plan(request.overwrite);
    plan::drop_ignored_tool_files(workspace, &mut plan)?;
    let mut outcome = CanonOutcome::preview(workspace, state, &plan);
    if request.diffs != DiffSelection::None {
        outcome.diffs = edit_diffs(&workspace.view, &plan);
    }
    if request.diffs == DiffSelection::All {
        outcome.refused_diffs = refusal_diffs(&workspace.view, &plan);
    }
    Ok(outcome)
}

fn preview_adoption(
    request: &AdoptRequest,
    workspace: &Workspace,
    state: &SyncState,
    progress: &dyn Progress,
) -> Result<CanonOutcome, Error> {
    let adoption = plan_adoption(request, workspace, state, progress)?;
    let mut outcome = CanonOutcome::preview(workspace, state, &SyncPlan::default());
    outcome.refused.clear();
    outcome.overwrites_refused = 0;
    outcome.diffs = adoption.edits.iter().map(|edit| FileDiff::from_edit(&workspace.view, edit)).collect();
    outcome.adopted = adoption.edits.iter().map(|edit| edit.path().clone()).collect();
    Ok(outcome)
}

fn write(
    request: &SyncRequest,
    workspace: &Workspace,
    paths: &mut CommitPaths,
    progress: &dyn Progress,
) -> Result<CanonOutcome, Error> {
    let mut session = Session::begin(&workspace.git_dir()?)?;
    session.sweep(&workspace.view)?;
    let mut state = SyncState::load(workspace, &workspace.view, session.pending())?;
    let adopted = match &request.adopt {
        Some(adopt) => Some(adopt_paths(adopt, workspace, &mut session, &state, progress)?),
        None => None,
    };
    if let Some(adopted) = &adopted {
        state = SyncState::load(workspace, &adopted.view, Vec::new())?;
    }
    let mut plan = state.plan(request.overwrite);
    let same_names = if request.user { Vec::new() } else { find_same_names(&workspace.env, &state) };
    // Before the edits are written, while the files still hold their old content.
    let refused_diffs =
        if request.diffs == DiffSelection::None { Vec::new() } else { forcible_diffs(&workspace.view, &plan) };
    let applied = write_until_settled(workspace, &mut session, &mut state, &mut plan, request.overwrite)?;
    session.first_sync_is_done();
    trust::pin_written_here(workspace, &state.written_here);
    if request.commit.is_some() {
        let is_unchanged = adopted.is_none() && plan.edits.is_empty() && applied.is_empty();
        if !(is_unchanged && CommitPaths::is_up_to_date(workspace, &state, &plan)) {
            paths.extend(CommitPaths::collect(workspace, &state, &plan)?);
        }
    }
    let mut outcome = CanonOutcome::applied(workspace, &state, &plan, applied);
    outcome.claimed = adopted.as_ref().and_then(|adopted| adopted.claimed);
    outcome.backups.extend(adopted.iter().flat_map(|adopted| adopted.backups.clone()));
    outcome.adopted = adopted.map(|adopted| adopted.files).unwrap_or_default();
    outcome.same_names = same_names;
    outcome.refused_diffs = refused_diffs;
    if request.commit.is_some() || outcome.has_changes() {
        outcome.ignored_mirrors = ignored_mirrors(workspace, &plan)?;
    }
    outcome.tracked_though_ignored = tracked_though_ignored(workspace, &plan);
    Ok(outcome)
}

/// The folders of mirrors whose files git ignores, so that a commit lacks them.
fn ignored_mirrors(workspace: &Workspace, plan: &SyncPlan) -> Result<Vec<RepoPath>, Error> {
    if workspace.config.files.git.ignore {
        return Ok(Vec::new());
    }
    let roots = workspace.config.known_targets().into_iter().map(|target| target.skills_root());
    let first = roots.filter_map(|root| Some((plan.lock.below(&root).first()?.0.clone(), root)));
    let (files, roots): (Vec<RepoPath>, Vec<RepoPath>) = first.unzip();
    let ignored = workspace.view.ignored(&files)?;
    Ok(files.iter().zip(roots).filter(|(file, _)| ignored.contains(*file)).map(|(_, root)| root).collect())
}

/// Number of mirrored files that git tracks although the config has git ignore them.
fn tracked_though_ignored(workspace: &Workspace, plan: &SyncPlan) -> usize {
    if !workspace.config.files.git.ignore {
        return 0;
    }
    let roots = workspace.config.known_targets().into_iter().map(|target| target.skills_root());
    roots.map(|root| workspace.view.tracked(&root).filter(|path| plan.lock.owns(path)).count()).sum()
}
