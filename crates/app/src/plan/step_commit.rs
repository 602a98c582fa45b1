//! Commits the status of a step with its reports and its approval.

use super::committed::committed_plan;
use super::{StepStatus, edits, load};
use crate::{Error, RepoPath, Workspace, commit};
use canonry_model::canon::Blob;
use canonry_model::canon::approval;
use canonry_model::canon::plan::Plan;
use canonry_model::canon::schema::Schemas;
use canonry_repo::git::commit::{CommitRequest, CommitSelection, ContentEdit};
use canonry_repo::view::PathKind;
use std::sync::Arc;

/// A status with the attempts before it.
pub(super) struct StepCommit<'a> {
    /// The plan's id and file.
    pub plan: &'a str,
    pub path: &'a RepoPath,
    pub step: &'a str,
    /// The number of the last attempt.
    pub last: u64,
    pub status: StepStatus,
}

impl StepCommit<'_> {
    /// Commits the status, the reports until the last attempt and the approval: the branch then says what is done, and what
    /// people decided. Nothing else of the plan is committed: clones that share it would change the same lines. If the commit is
    /// refused, for example by a hook, the files stay in the work tree. `false` if there was nothing to commit.
    ///
    /// # Errors
    /// See [`commit::run_or_stage`].
    pub fn commit(&self, workspace: &Workspace) -> Result<bool, Error> {
        let Self { plan, path, step, last, status } = *self;
        let layout = &workspace.layout;
        let reports = (1..=last).filter_map(|attempt| load::report_path(layout, path, step, attempt));
        let files = reports.chain([approval::path(layout, plan, step)]);
        let full = |path: &RepoPath| workspace.view.full(path).as_bstr().to_owned();
        let is_file = |path: &RepoPath| workspace.view.kind(path) == PathKind::File;
        let paths: Vec<_> = files.filter(is_file).map(|path| full(&path)).collect();
        // Without a readable plan, the text is parsed.
        let committed = committed_plan(workspace, path).ok().flatten();
        let apply = |text: &[u8]| {
            let document = match committed.as_ref().filter(|plan| plan.source.text().as_bytes() == text) {
                Some(document) => Arc::clone(document),
                None => Plan::parse(path.clone(), Blob::Bytes(text.to_vec()), &Schemas::default()).document.ok()?,
            };
            let at = document.steps.iter().position(|one| one.id_text() == step)?;
            // A step without the key is pending.
            let is_same = document.steps.get(at)?.status == status;
            let edited = if is_same { None } else { Some(edits::text_with_status(workspace, &document, at, status)?) };
            Some(edited.map_or_else(|| text.to_vec(), String::into_bytes))
        };
        let message = format!("plan: {step} of {plan} is {}\n", status.as_str());
        let edit = ContentEdit { path: &full(path), apply: &apply };
        let selection = CommitSelection::Edited { paths: &paths, edit };
        let request = CommitRequest { selection, message: &message, hooks: workspace.env.git_hooks };
        Ok(commit::run_or_stage(&workspace.env, &request)?.is_some())
    }
}
