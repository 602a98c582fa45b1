//! Merges the work of an attempt that passed its commands.

use super::PlanRun;
use super::records::AttemptRecord;
use super::verdict::{AttemptVerdict, EndedAttempt};
use crate::plan::StepStatus;
use crate::plan::attempt_folder::attempt_folder;
use crate::plan::gate::{self, Gates};
use crate::plan::verification::{COMMAND_TIMEOUT, Verification, run_commands};
use crate::{Error, ErrorKind, RepoPath, Workspace};
use canonry_model::canon::plan::PlanStep;
use canonry_model::canon::report::{AttemptCause, AttemptOutcome};
use canonry_repo::git::diff::{changed_files, is_ancestor};
use canonry_repo::git::integrate::{Integrated, MergeRequest, integrate, preview};
use canonry_repo::git::worktrees::{AttemptTree, checkout_detached};
use gix::ObjectId;

/// The work of an attempt, which passes its commands if it is merged into the branch at `onto`.
pub(super) struct VerifiedMerge<'t> {
    tree: &'t AttemptTree,
    tip: ObjectId,
    onto: ObjectId,
}

impl PlanRun<'_> {
    /// Runs the commands again on the merge of the work with what others merged since it began. Two changes that are right
    /// can be wrong together. `None` if that fails.
    pub(super) fn verify_merged<'t>(
        &self,
        workspace: &Workspace,
        ended: &EndedAttempt<'_>,
        tree: &'t AttemptTree,
        step: &PlanStep,
        verdict: &mut AttemptVerdict,
    ) -> Result<Option<VerifiedMerge<'t>>, Error> {
        let repo = workspace.repo()?;
        let record = ended.record;
        let tip = tip(repo, tree)?;
        let message = self.merge_message(record);
        let preview = preview(repo, &merge_request(tip, &message, None))?;
        let verified = VerifiedMerge { tree, tip, onto: preview.head };
        let Some(merged) = preview.merged else { return Ok(Some(verified)) };
        let others = changed_files(repo, tree.fork, preview.head)?;
        let base = workspace.view.base();
        let is_record =
            |path: &RepoPath| path.below(base).is_some_and(|path| is_control(workspace, &RepoPath::new(path)));
        if gate::commands(step).next().is_none() || others.iter().all(|file| is_record(&file.path)) {
            return Ok(Some(verified));
        }
        let checkout = checkout_detached(repo, &attempt_folder(&workspace.env, repo), merged, &self.env.cancel)?;
        let folder = checkout.folder.join(base.to_display());
        let timeout = ended.owner.and_then(|owner| owner.timeout).unwrap_or(COMMAND_TIMEOUT);
        let log = self.records.log(&record.step, record.attempt);
        let gates = Gates::new(workspace, &self.plan);
        let Verification { results, failure } = run_commands(&gates, step, &folder, &log, timeout, &self.env.cancel)?;
        let Some(failure) = failure else { return Ok(Some(verified)) };
        let error = format!("it passed alone, but not merged with the work of other steps: {failure}");
        *verdict =
            AttemptVerdict { commands: results, ..AttemptVerdict::failed(Some(AttemptCause::Unverified), error) };
        Ok(None)
    }

    fn merge_message(&self, record: &AttemptRecord) -> String {
        format!("Merge {} (plan {}, attempt {})\n", record.step, self.plan, record.attempt)
    }

    /// Merges the work into the integration branch. `false` if the branch is no longer where it was when this was verified.
    pub(super) fn merge(
        &self,
        workspace: &Workspace,
        merge: &VerifiedMerge<'_>,
        record: &AttemptRecord,
        verdict: &mut AttemptVerdict,
    ) -> Result<bool, Error> {
        let repo = workspace.repo()?;
        let VerifiedMerge { tree, tip, onto } = *merge;
        let message = self.merge_message(record);
        let integrated = integrate(repo, &merge_request(tip, &message, Some(onto)))?;
        let commands = std::mem::take(&mut verdict.commands);
        let blocked = |error: String| AttemptVerdict::blocked(Some(AttemptCause::Conflict), error);
        let merged = match integrated {
            Integrated::Moved => {
                verdict.commands = commands;
                return Ok(false);
            }
            Integrated::Conflict { paths } => {
                blocked(format!("its work on {} conflicts with other work in {}", tree.branch, list(&paths)))
            }
            Integrated::Dirty { paths } => blocked(format!(
                "its work on {} cannot be merged: {} changed in the work tree",
                tree.branch,
                list(&paths)
            )),
            Integrated::UpToDate | Integrated::Merged { .. } => {
                let head = repo.head_id().map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))?.detach();
                if !is_ancestor(repo, tip, head)? {
                    let message = format!("{} is not merged after its merge", tree.branch);
                    return Err(Error::new(ErrorKind::Internal, message));
                }
                AttemptVerdict {
                    status: StepStatus::Complete,
                    outcome: AttemptOutcome::Success,
                    cause: None,
                    error: None,
                    waiting_until: None,
                    commands: Vec::new(),
                    commit: Some(tip.to_string()),
                }
            }
        };
        *verdict = AttemptVerdict { commands, ..merged };
        Ok(true)
    }
}

fn merge_request(tip: ObjectId, message: &str, onto: Option<ObjectId>) -> MergeRequest<'_> {
    MergeRequest { tip, message, onto }
}

/// The last commit of an attempt.
pub(super) fn tip(repo: &gix::Repository, tree: &AttemptTree) -> Result<ObjectId, Error> {
    let failed = |e: gix::Error| Error::new(ErrorKind::Internal, format!("{} cannot be read: {e}", tree.branch));
    let name = format!("refs/heads/{}", tree.branch);
    let mut reference = repo.find_reference(name.as_str()).map_err(failed)?;
    Ok(reference.peel_to_id().map_err(failed)?.detach())
}

fn list(paths: &[RepoPath]) -> String {
    let shown: Vec<String> = paths.iter().take(10).map(RepoPath::to_display).collect();
    let more = if paths.len() > 10 { format!(" and {} more", paths.len() - 10) } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// Whether a file below the folder of the canon belongs to people and to canonry: a plan, a report, an approval, or owners.
pub(super) fn is_control(workspace: &Workspace, path: &RepoPath) -> bool {
    let layout = &workspace.layout;
    path.is_within(&layout.approvals())
        || path.is_within(&layout.owners())
        || layout.plan_roots().iter().chain(layout.report_roots()).any(|root| path.is_within(root))
}
