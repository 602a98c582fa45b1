//! The work on a step as a commit on top of the branch: what is verified is what the branch gets.
//!
//! Every way to `complete` goes through [`StepWork`]: find the [`Candidate`], verify it, accept it.

use super::StepStatus;
use super::committed::CommittedCommands;
use super::gate::Gates;
use super::load::LoadedPlan;
use super::run::records::{Records, Seen};
use super::verification::{Checks, Verification, Verifier};
use crate::error::listed;
use crate::{Error, ErrorKind, RepoPath, Workspace};
use canonry_model::canon::plan::PlanStep;
use canonry_repo::git::attempt::changes_in;
use canonry_repo::git::commit::{CommitError, CommitRequest, CommitSelection, PreparedCommit, prepare};
use canonry_repo::git::diff::{ChangedFile, changed_files, has_file, is_ancestor};
use canonry_repo::git::integrate::{Integrated, MergeRequest, integrate, preview};
use canonry_repo::git::worktrees::{self, AttemptTree};
use canonry_runs::plan::StepFiles;
use canonry_runs::plan::run::{Accepted, WorkError};
use gix::ObjectId;
use gix::bstr::BString;
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The work of one attempt at a step.
pub(super) struct StepWork<'a> {
    pub workspace: &'a Workspace,
    pub loaded: &'a LoadedPlan,
    pub records: &'a Records,
    pub step: &'a PlanStep,
    pub attempt: u64,
    /// The folder of the canon that the worker works in.
    pub folder: &'a Path,
}

/// Work that can become part of the branch.
pub(super) struct Candidate {
    /// The branch as it would be. Nothing refers to the commit yet. `None` on a branch without commits, if there is no work.
    commit: Option<ObjectId>,
    /// Where the branch is.
    onto: Option<ObjectId>,
    source: Source,
}

impl Candidate {
    /// The commit that the branch would get.
    pub fn commit(&self) -> Option<ObjectId> {
        self.commit
    }

    /// The branch, which has the work already: a person merged it.
    pub fn merged(workspace: &Workspace) -> Result<Self, Error> {
        let head = workspace.repo()?.head_id().ok().map(gix::Id::detach);
        Ok(Self { commit: head, onto: head, source: Source::Files { paths: Vec::new(), tree: None } })
    }

    /// The branch of the attempt, if it has its own work tree and there is work on it.
    pub fn proposal(&self) -> Option<ProposedBranch<'_>> {
        match &self.source {
            Source::Branch { tip, fork, name, .. } if tip != fork => {
                Some(ProposedBranch { name, tip: *tip, fork: *fork })
            }
            _ => None,
        }
    }
}

/// A branch with the work of an attempt.
pub(super) struct ProposedBranch<'a> {
    pub name: &'a str,
    pub tip: ObjectId,
    pub fork: ObjectId,
}

enum Source {
    /// The branch of the attempt's own work tree is merged.
    Branch {
        tip: ObjectId,
        fork: ObjectId,
        name: String,
        /// Whether others changed files since the attempt began.
        is_shared: bool,
    },
    /// Files of the work tree that everybody shares are committed.
    Files { paths: Vec<BString>, tree: Option<ObjectId> },
}

impl StepWork<'_> {
    /// The work in the attempt's own work tree, which is committed.
    pub fn branch(&self, tree: &AttemptTree) -> Result<Candidate, WorkError<Error>> {
        let repo = self.workspace.repo()?;
        let tip = tip(repo, tree)?;
        self.excess(tree.fork, tip)?;
        let message = self.merge_message();
        let preview =
            preview(repo, &MergeRequest { tip, message: &message, onto: None, resolved: None }).map_err(Error::from)?;
        let base = self.workspace.view.base();
        let is_work =
            |path: &RepoPath| !path.below(base).is_some_and(|path| is_control(self.workspace, &RepoPath::new(path)));
        let others = changed_files(repo, tree.fork, preview.head).map_err(Error::from)?;
        let is_shared = preview.merged.is_some() && others.iter().any(|file| is_work(&file.path));
        let commit = Some(preview.merged.unwrap_or(tip));
        let source = Source::Branch { tip, fork: tree.fork, name: tree.branch.clone(), is_shared };
        Ok(Candidate { commit, onto: Some(preview.head), source })
    }

    /// The work in the shared work tree, which is not committed.
    pub fn files(&self) -> Result<Candidate, WorkError<Error>> {
        let repo = self.workspace.repo()?;
        let onto = repo.head_id().ok().map(gix::Id::detach);
        let paths = self.changed_files()?;
        let message = self.commit_message();
        let prepared = match prepare(repo, &self.request(&paths, &message)) {
            Ok(prepared) => prepared,
            Err(error) if is_of_work(&error) => return Err(WorkError::Attempt(Error::from(error).to_string())),
            Err(error) => return Err(Error::from(error).into()),
        };
        let tree = prepared.as_ref().map(PreparedCommit::tree);
        let commit = prepared.map(|prepared| prepared.preview()).transpose().map_err(Error::from)?.or(onto);
        if let Some((from, to)) = onto.zip(commit) {
            self.excess(from, to)?;
        }
        Ok(Candidate { commit, onto, source: Source::Files { paths, tree } })
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
        let Some(commit) = candidate.commit else { return Ok(Verification::default()) };
        let verifier = Verifier {
            workspace: self.workspace,
            gates: &gates,
            log: self.records.log(self.step.id_text(), self.attempt),
            checks,
        };
        let mut verification = verifier.verify(self.step, commit)?;
        if let (Some(failure), Source::Branch { is_shared: true, .. }) = (&mut verification.failure, &candidate.source)
        {
            *failure = format!("merged with the work of other steps, {failure}");
        }
        if let (Some(failure), Source::Branch { tip, fork, .. }) = (&mut verification.failure, &candidate.source)
            && tip == fork
        {
            *failure = format!("the attempt changed nothing in its work tree; {failure}");
        }
        Ok(verification)
    }

    /// Moves the branch to a verified candidate.
    ///
    /// # Errors
    /// The repository does not allow it now.
    pub fn accept(&self, candidate: &Candidate) -> Result<Accepted, Error> {
        let repo = self.workspace.repo()?;
        match &candidate.source {
            Source::Branch { tip, fork, name, .. } => {
                let message = self.merge_message();
                let request = MergeRequest { tip: *tip, message: &message, onto: candidate.onto, resolved: None };
                match integrate(repo, &request)? {
                    Integrated::Moved => Ok(Accepted::Moved),
                    Integrated::Conflict { paths } => {
                        let files = listed(&paths);
                        Ok(Accepted::Conflict(format!("its work on {name} conflicts with other work in {files}")))
                    }
                    Integrated::Dirty { paths } => {
                        let files = listed(&paths);
                        let error = format!("its work on {name} cannot be merged: {files} changed in the work tree");
                        Ok(Accepted::Conflict(error))
                    }
                    Integrated::UpToDate | Integrated::Merged { .. } => {
                        let head = repo.head_id().map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))?.detach();
                        if !is_ancestor(repo, *tip, head)? {
                            return Err(Error::new(
                                ErrorKind::Internal,
                                format!("{name} is not merged after its merge"),
                            ));
                        }
                        Ok(Accepted::Complete { base: Some(fork.to_string()), commit: Some(tip.to_string()) })
                    }
                }
            }
            Source::Files { paths, tree } => {
                let message = self.commit_message();
                let prepared = match prepare(repo, &self.request(paths, &message)) {
                    Err(error) if is_of_work(&error) => return Ok(Accepted::Refused(Error::from(error).to_string())),
                    prepared => prepared?,
                };
                let head = repo.head_id().ok().map(gix::Id::detach);
                if head != candidate.onto || prepared.as_ref().map(PreparedCommit::tree) != *tree {
                    return Ok(Accepted::Moved);
                }
                match prepared.map(PreparedCommit::finish).transpose() {
                    Ok(Some(committed)) => {
                        Ok(Accepted::Complete { base: hex(head), commit: Some(committed.id.to_string()) })
                    }
                    // Nothing is left to commit: the worker committed its work itself.
                    Ok(None) => Ok(Accepted::Complete { base: None, commit: hex(head) }),
                    Err(error) if is_of_work(&error) => Ok(Accepted::Refused(Error::from(error).to_string())),
                    Err(error) => Err(error.into()),
                }
            }
        }
    }

    fn merge_message(&self) -> String {
        format!("Merge {} (plan {}, attempt {})\n", self.step.id_text(), self.loaded.id, self.attempt)
    }

    fn commit_message(&self) -> String {
        format!("{}: attempt {} of plan {}\n", self.step.id_text(), self.attempt, self.loaded.id)
    }

    fn request<'a>(&self, paths: &'a [BString], message: &'a str) -> CommitRequest<'a> {
        CommitRequest { selection: CommitSelection::Literal(paths), message, hooks: self.workspace.env.git_hooks }
    }

    /// The changed files of the shared work tree that belong to the step: those that it names, or, if it names none, those
    /// that changed since its first attempt began and that no other step in progress names.
    fn changed_files(&self) -> Result<Vec<BString>, Error> {
        let workspace = self.workspace;
        let layout = &workspace.layout;
        let step = self.step;
        let named = StepFiles::new(step);
        // Without a record, nobody knows whose changes they are.
        let seen = self.records.seen(step.id_text())?;
        if step.files.is_empty() && seen.is_none() {
            return Ok(Vec::new());
        }
        let others = self.loaded.document()?.steps.iter().filter(|other| other.id_text() != step.id_text());
        let others = others.filter(|other| other.status == StepStatus::InProgress);
        let others: Vec<StepFiles> = others.map(StepFiles::new).collect();
        let mut paths = Vec::new();
        for full in worktrees::changed_paths(workspace.repo()?)? {
            // Paths in a plan start at the folder of its canon.
            let path = full.below(workspace.view.base()).map(RepoPath::new);
            let is_kept = |path: &RepoPath| {
                is_control(workspace, path) || path.is_within(&layout.runs()) || *path == layout.log()
            };
            if path.as_ref().is_some_and(is_kept) {
                continue;
            }
            let is_own = match &seen {
                Some(seen) if step.files.is_empty() => {
                    let is_others = |path: &RepoPath| others.iter().any(|files| files.contains(path));
                    !seen.contains(&Seen::now(workspace, &full)?) && !path.as_ref().is_some_and(is_others)
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

/// Records which files are changed before the first attempt at a step: they are not its work.
pub(super) fn see_files(workspace: &Workspace, records: &Records, step: &str) -> Result<(), Error> {
    if records.seen(step)?.is_some() {
        return Ok(());
    }
    let changed = worktrees::changed_paths(workspace.repo()?)?;
    let seen = changed.iter().map(|path| Seen::now(workspace, path)).collect::<Result<BTreeSet<_>, Error>>()?;
    records.save_seen(step, &seen)
}

impl Seen {
    fn now(workspace: &Workspace, full: &RepoPath) -> Result<Self, Error> {
        let top = workspace.repo()?.workdir().map(|top| top.join(full.to_display()));
        // A file that is gone has no state.
        let meta = top.and_then(|path| std::fs::symlink_metadata(path).ok());
        let state = meta.map(|meta| (meta.len(), meta.mtime(), meta.mtime_nsec()));
        Ok(Self { path: full.to_string(), state })
    }
}

fn hex(id: Option<ObjectId>) -> Option<String> {
    id.map(|id| id.to_string())
}

/// Whether the work itself is the reason why it cannot be committed, and not the state of the repository.
fn is_of_work(error: &CommitError) -> bool {
    matches!(
        error,
        CommitError::HookRefused { .. }
            | CommitError::Unmerged { .. }
            | CommitError::OtherRepository { .. }
            | CommitError::NotAFile { .. }
            | CommitError::InvalidPath { .. }
            | CommitError::Filter { .. }
    )
}

/// The last commit of an attempt.
fn tip(repo: &gix::Repository, tree: &AttemptTree) -> Result<ObjectId, Error> {
    let failed = |e: gix::Error| Error::new(ErrorKind::Internal, format!("{} cannot be read: {e}", tree.branch));
    let name = format!("refs/heads/{}", tree.branch);
    let mut reference = repo.find_reference(name.as_str()).map_err(failed)?;
    Ok(reference.peel_to_id().map_err(failed)?.detach())
}

/// Whether a file below the folder of the canon belongs to people and to canonry: a plan, a report, an approval, or owners.
pub(super) fn is_control(workspace: &Workspace, path: &RepoPath) -> bool {
    let layout = &workspace.layout;
    path.is_within(&layout.approvals())
        || path.is_within(&layout.owners())
        || layout.plan_roots().iter().chain(layout.report_roots()).any(|root| path.is_within(root))
}
