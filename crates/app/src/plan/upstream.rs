//! Results that others pushed to the remote through which clones share claims.

use super::committed::{committed_plan, status_in};
use crate::{Error, ErrorKind, Workspace};
use canonry_model::canon::report::ReportName;
use canonry_repo::git::diff::is_ancestor;
use canonry_repo::git::upstream::Upstream;
use canonry_repo::view::{Basis, IgnoreMode, PathKind, View};
use canonry_text::RepoPath;

/// The remote's branch, if it has commits that are not here.
///
/// # Errors
/// [`ErrorKind::Contention`] if the remote does not answer.
fn new_commits(workspace: &Workspace) -> Result<Option<View>, Error> {
    let Some(remote) = &workspace.config.plans.remote else { return Ok(None) };
    let repo = workspace.repo()?;
    let Some(upstream) = Upstream::at(repo, remote, &workspace.env.cancel)? else { return Ok(None) };
    let fetched = upstream.fetch().map_err(|error| {
        if error.is_interrupted() {
            return Error::new(ErrorKind::Interrupted, "interrupted");
        }
        Error::new(ErrorKind::Contention, format!("{} cannot be fetched: {error}", upstream.name()))
            .help(format!("check that `git fetch {remote}` works without a prompt, then run this again"))
    })?;
    let Some(tip) = fetched else { return Ok(None) };
    let head = repo.head_id().ok().map(gix::Id::detach);
    if head.is_some_and(|head| is_ancestor(repo, tip, head).unwrap_or(false)) {
        return Ok(None);
    }
    Ok(Some(workspace.open_view(&Basis::Commit(tip.to_string()))?))
}

/// Whether the remote's branch has a decision about a step that is not here.
///
/// # Errors
/// [`ErrorKind::Contention`] if the remote does not answer.
pub(super) fn is_decided(workspace: &Workspace, path: &RepoPath, step: &str) -> Result<bool, Error> {
    let Some(theirs) = new_commits(workspace)? else { return Ok(false) };
    let theirs = workspace.env.plans.plan(&theirs, path, &workspace.layout)?.document.ok();
    let there = status_in(theirs.as_deref(), step);
    let here = status_in(committed_plan(workspace, path)?.as_deref(), step);
    Ok(there.is_decided() && there != here)
}

/// Whether the remote's branch has a report on a step that is not here.
///
/// # Errors
/// [`ErrorKind::Contention`] if the remote does not answer.
pub(super) fn has_new_report(workspace: &Workspace, plan: &str, step: &str) -> Result<bool, Error> {
    let Some(theirs) = new_commits(workspace)? else { return Ok(false) };
    let layout = &workspace.layout;
    let files = theirs.list(&layout.reports().join(plan), IgnoreMode::Exclude)?.files;
    let mut paths = files.into_iter().map(|file| file.entry.path);
    let is_about = |path: &RepoPath| ReportName::from_path(path, layout).is_some_and(|name| name.step == step);
    Ok(paths.any(|path| is_about(&path) && workspace.view.kind(&path) == PathKind::Nothing))
}
