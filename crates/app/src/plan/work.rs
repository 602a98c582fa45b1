//! The work on a step as a commit on top of the branch: what is verified is what the branch gets.
//!
//! Every way to `complete` goes through [`StepWork`]: find the [`Candidate`], verify it, accept it.

use super::StepStatus;
use super::committed::CommittedCommands;
use super::gate::Gates;
use super::load::LoadedPlan;
use super::run::records::Records;
use super::verification::{Checks, Verification, Verifier};
use crate::attempt::{AttemptWork, Candidate, SeenFile, is_control, work_files};
use crate::error::listed;
use crate::{Error, ErrorKind, RepoPath, Workspace};
use canonry_model::canon::plan::PlanStep;
use canonry_repo::git::attempt::changes_in;
use canonry_repo::git::diff::{ChangedFile, changed_files, has_file, is_ancestor};
use canonry_repo::git::worktrees::{self, AttemptTree};
use canonry_runs::plan::StepFiles;
use canonry_runs::plan::run::{Accepted, WorkError};
use gix::ObjectId;
use gix::bstr::BString;
use std::collections::BTreeSet;
use std::path::Path;

/// The work of one attempt.
pub(super) struct StepWork<'a> {
    pub workspace: &'a Workspace,
    pub loaded: &'a LoadedPlan,
    pub records: &'a Records,
    pub step: &'a PlanStep,
    pub attempt: u64,
    /// The folder of the canon that the worker works in.
    pub folder: &'a Path,
}

impl StepWork<'_> {
    /// The work in the attempt's own work tree, which is committed.
    pub fn branch(&self, tree: &AttemptTree) -> Result<Candidate, WorkError<Error>> {
        self.within_step(self.attempt_work().branch(tree)?)
    }

    /// The work in the shared work tree, which is not committed.
    pub fn files(&self) -> Result<Candidate, WorkError<Error>> {
        self.within_step(self.attempt_work().files(self.changed_files()?)?)
    }

    fn within_step(&self, candidate: Candidate) -> Result<Candidate, WorkError<Error>> {
        if let Some((from, to)) = candidate.range() {
            self.excess(from, to)?;
        }
        Ok(candidate)
    }

    /// Runs the commands of the step on a candidate, in a clean checkout.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] if the commands are not committed, a person must approve the step, or the guard denies one; see
    /// also [`Verifier::verify`].
    pub fn verify(&self, candidate: &Candidate, checks: &Checks<'_>) -> Result<Verification, Error> {
        let gates = Gates::new(self.workspace, &self.loaded.id);
        CommittedCommands::load(self.workspace, self.loaded)?.require(self.step)?;
        gates.require(self.step)?;
        let Some(commit) = candidate.commit() else { return Ok(Verification::default()) };
        let verifier = Verifier {
            workspace: self.workspace,
            gates: &gates,
            log: self.records.log(self.step.id_text(), self.attempt),
            checks,
        };
        let mut verification = verifier.verify(self.step, commit)?;
        if let Some(failure) = &mut verification.failure {
            if candidate.has_work_of_others() {
                *failure = format!("merged with the work of other steps, {failure}");
            }
            if candidate.is_empty_branch() {
                *failure = format!("the attempt changed nothing in its work tree; {failure}");
            }
        }
        Ok(verification)
    }

    /// Moves the branch to a verified candidate.
    ///
    /// # Errors
    /// See [`AttemptWork::accept`].
    pub fn accept(&self, candidate: &Candidate) -> Result<Accepted, Error> {
        self.attempt_work().accept(candidate)
    }

    /// The work without the step that limits it.
    pub fn attempt_work(&self) -> AttemptWork<'_> {
        let step = self.step.id_text();
        let plan = &self.loaded.id;
        let attempt = self.attempt;
        AttemptWork {
            workspace: self.workspace,
            merge_message: format!("Merge {step} (plan {plan}, attempt {attempt})\n"),
            commit_message: format!("{step}: attempt {attempt} of plan {plan}\n"),
            again: format!("canonry run exec {plan}"),
        }
    }

    /// The changed files of the shared work tree that belong to the step: those that it names, or, if it names none, those
    /// that changed since its first attempt began and that no other step in progress names.
    fn changed_files(&self) -> Result<Vec<BString>, Error> {
        let workspace = self.workspace;
        let step = self.step;
        let named = StepFiles::new(step);
        // Without a record, nobody knows whose changes they are.
        let seen = self.records.seen(step.id_text()).read()?;
        if step.files.is_empty() && seen.is_none() {
            return Ok(Vec::new());
        }
        let others = self.loaded.document()?.steps.iter().filter(|other| other.id_text() != step.id_text());
        let others = others.filter(|other| other.status == StepStatus::InProgress);
        let others: Vec<StepFiles> = others.map(StepFiles::new).collect();
        let mut paths = Vec::new();
        for full in work_files(workspace)? {
            // Paths in a plan start at the folder of its canon.
            let path = full.below(workspace.view.base()).map(RepoPath::new);
            let is_own = match &seen {
                Some(seen) if step.files.is_empty() => {
                    let is_others = |path: &RepoPath| others.iter().any(|files| files.contains(path));
                    !seen.contains(&SeenFile::now(workspace, &full)?) && !path.as_ref().is_some_and(is_others)
                }
                _ => path.is_some_and(|path| named.contains(&path)),
            };
            if is_own {
                paths.push(full.as_bstr().to_owned());
            }
        }
        Ok(paths)
    }

    /// Checks that a change stays within its step and has the files that the step names.
    fn excess(&self, from: ObjectId, to: ObjectId) -> Result<(), WorkError<Error>> {
        let Self { workspace, step, .. } = *self;
        let repo = workspace.repo()?;
        if let Some(excess) = self.beyond_step(&changed_files(repo, from, to).map_err(Error::from)?) {
            return Err(WorkError::Attempt(excess));
        }
        let base = workspace.view.base();
        for file in &step.files {
            let path = RepoPath::new(file.text.trim_start_matches("./"));
            let is_file =
                std::fs::symlink_metadata(self.folder.join(path.to_display())).is_ok_and(|meta| !meta.is_dir());
            if is_file && !has_file(repo, to, &base.join(path.as_bstr())).map_err(Error::from)? {
                let message = format!("`{path}`, which the step names, is in no commit: git ignores it");
                return Err(WorkError::Attempt(message));
            }
        }
        Ok(())
    }

    /// Why commits of the attempt's work tree that are in the branch already go beyond the step. Another attempt cannot repair
    /// that. Only their files that differ from the fork count.
    ///
    /// # Errors
    /// An object or the log of the work tree cannot be read.
    pub fn excess_in_branch(&self, tree: &AttemptTree) -> Result<Option<String>, Error> {
        let repo = self.workspace.repo()?;
        let head = repo.head_id().map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))?.detach();
        if head == tree.fork {
            return Ok(None);
        }
        let mut commits = Vec::new();
        let mut paths = BTreeSet::new();
        for commit in worktrees::commits_made(repo, tree)? {
            // One that git has pruned is in no branch.
            if repo.has_object(commit) && is_ancestor(repo, commit, head)? {
                commits.insert(0, commit.to_hex_with_len(7).to_string());
                paths.extend(changes_in(repo, commit)?.into_iter().flatten().map(|file| file.path));
            }
        }
        if commits.is_empty() {
            return Ok(None);
        }
        let mut files = changed_files(repo, tree.fork, head)?;
        files.retain(|file| paths.contains(&file.path));
        let commits = commits.join(" ");
        Ok(self.beyond_step(&files).map(|excess| {
            format!("its work is in the branch already, and {excess}; `git revert {commits}` takes it back")
        }))
    }

    /// Why changes go beyond the step. Plans, reports, approvals and owners belong to people and to canonry, even if the step
    /// names no files: once merged, the commands in a plan are committed and reach a shell.
    fn beyond_step(&self, files: &[ChangedFile]) -> Option<String> {
        let Self { workspace, step, .. } = *self;
        let own_report = self.loaded.report_path(&workspace.layout, step.id_text(), self.attempt);
        let named = StepFiles::new(step);
        let base = workspace.view.base();
        let is_named = |path: &RepoPath| {
            let Some(path) = path.below(base).map(RepoPath::new) else { return step.files.is_empty() };
            own_report.as_ref() == Some(&path)
                || named.contains(&path)
                || (step.files.is_empty() && !is_control(workspace, &path))
        };
        let outside: Vec<RepoPath> =
            files.iter().filter(|file| !is_named(&file.path)).map(|file| file.path.clone()).collect();
        if !outside.is_empty() {
            return Some(format!("changed files that the step does not name: {}", listed(&outside)));
        }
        let lines: u64 = files.iter().map(|file| file.added + file.removed).sum();
        let limit = step.max_diff_lines.filter(|limit| lines > *limit)?;
        Some(format!("changed {lines} lines, and the step allows {limit}"))
    }
}
