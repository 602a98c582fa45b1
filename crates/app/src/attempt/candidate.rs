//! Work that can become part of the branch.

use super::shared_files::is_control;
use crate::error::listed;
use crate::pull_request::{PullRequest, PullRequests};
use crate::{Error, ErrorKind, RepoPath, Workspace};
use canonry_repo::git::commit::{CommitError, CommitRequest, CommitSelection, PreparedCommit, prepare, restage};
use canonry_repo::git::diff::{changed_files, is_ancestor};
use canonry_repo::git::integrate::{Integrated, MergeRequest, has_work, integrate, preview};
use canonry_repo::git::worktrees::{AttemptTree, commit_all};
use canonry_runs::plan::run::{Accepted, WorkError};
use gix::ObjectId;
use gix::bstr::BString;

/// The work of one attempt.
pub(crate) struct AttemptWork<'a> {
    pub workspace: &'a Workspace,
    /// The message of the merge of its branch.
    pub merge_message: String,
    /// The message of the commit of its files.
    pub commit_message: String,
    /// The command that continues the run.
    pub again: String,
}

/// Work that can become part of the branch.
pub(crate) struct Candidate {
    /// The branch as it would be. Nothing refers to the commit yet. `None` on a branch without commits, if there is no work.
    commit: Option<ObjectId>,
    /// Where the branch is.
    onto: Option<ObjectId>,
    source: Source,
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

/// Work that waits for a person, who merges a pull request.
pub(crate) struct Proposed {
    /// Condition of the step, for people.
    pub message: String,
    /// The commit that the work builds upon, and its last one.
    pub base: ObjectId,
    pub commit: ObjectId,
}

impl Candidate {
    /// The commit that the branch would get.
    pub fn commit(&self) -> Option<ObjectId> {
        self.commit
    }

    /// The commits between which the work is. `None` on a branch without commits.
    pub fn range(&self) -> Option<(ObjectId, ObjectId)> {
        match &self.source {
            Source::Branch { tip, fork, .. } => Some((*fork, *tip)),
            Source::Files { .. } => self.onto.zip(self.commit),
        }
    }

    /// The branch, which has the work already: a person merged it.
    ///
    /// # Errors
    /// There is no repository.
    pub fn merged(workspace: &Workspace) -> Result<Self, Error> {
        let head = workspace.repo()?.head_id().ok().map(gix::Id::detach);
        Ok(Self { commit: head, onto: head, source: Source::Files { paths: Vec::new(), tree: None } })
    }

    /// Whether the attempt has its own work tree, and changed nothing in it.
    pub fn is_empty_branch(&self) -> bool {
        matches!(&self.source, Source::Branch { tip, fork, .. } if tip == fork)
    }

    /// Whether its commit contains work of others, who merged it since the attempt began.
    pub fn has_work_of_others(&self) -> bool {
        matches!(self.source, Source::Branch { is_shared: true, .. })
    }
}

impl AttemptWork<'_> {
    /// Commits what is in the attempt's own work tree, which only its worker uses.
    ///
    /// # Errors
    /// See [`WorkError`].
    pub fn commit(&self, tree: &AttemptTree) -> Result<(), WorkError<Error>> {
        let hooks = self.workspace.env.git_hooks;
        let Err(error) = commit_all(self.workspace.repo()?, tree, &self.commit_message, hooks) else { return Ok(()) };
        let error = Error::from(error);
        Err(match error.kind {
            ErrorKind::Refused | ErrorKind::Contention => {
                WorkError::Attempt(format!("its work cannot be committed: {error}"))
            }
            _ => WorkError::Run(error),
        })
    }

    /// The work in the attempt's own work tree, which is committed.
    ///
    /// # Errors
    /// The repository does not allow it now.
    pub fn branch(&self, tree: &AttemptTree) -> Result<Candidate, Error> {
        let repo = self.workspace.repo()?;
        let gone = || Error::new(ErrorKind::Internal, format!("the branch {} does not exist", tree.branch));
        let tip = branch_tip(repo, &tree.branch)?.ok_or_else(gone)?;
        let request = MergeRequest { tip, message: &self.merge_message, onto: None, resolved: None };
        let preview = preview(repo, &request)?;
        let base = self.workspace.view.base();
        let is_work =
            |path: &RepoPath| !path.below(base).is_some_and(|path| is_control(self.workspace, &RepoPath::new(path)));
        let others = changed_files(repo, tree.fork, preview.head)?;
        let is_shared = preview.merged.is_some() && others.iter().any(|file| is_work(&file.path));
        let commit = Some(preview.merged.unwrap_or(tip));
        let source = Source::Branch { tip, fork: tree.fork, name: tree.branch.clone(), is_shared };
        Ok(Candidate { commit, onto: Some(preview.head), source })
    }

    /// The work in the shared work tree, which is not committed: these paths from the top of the repository.
    ///
    /// # Errors
    /// See [`WorkError`].
    pub fn files(&self, paths: Vec<BString>) -> Result<Candidate, WorkError<Error>> {
        let repo = self.workspace.repo()?;
        let onto = repo.head_id().ok().map(gix::Id::detach);
        let prepared = match prepare(repo, &self.request(&paths)) {
            Ok(prepared) => prepared,
            Err(error) if is_of_work(&error) => return Err(WorkError::Attempt(Error::from(error).to_string())),
            Err(error) => return Err(Error::from(error).into()),
        };
        let tree = prepared.as_ref().map(PreparedCommit::tree);
        let commit = prepared.map(|prepared| prepared.preview()).transpose().map_err(Error::from)?.or(onto);
        Ok(Candidate { commit, onto, source: Source::Files { paths, tree } })
    }

    /// Moves the branch to a candidate.
    ///
    /// # Errors
    /// The repository does not allow it now; [`ErrorKind::Refused`] if uncommitted changes are in the way.
    pub fn accept(&self, candidate: &Candidate) -> Result<Accepted, Error> {
        let repo = self.workspace.repo()?;
        match &candidate.source {
            Source::Branch { tip, fork, name, .. } => {
                let message = &self.merge_message;
                let request = MergeRequest { tip: *tip, message, onto: candidate.onto, resolved: None };
                match integrate(repo, &request)? {
                    Integrated::Moved => Ok(Accepted::Moved),
                    Integrated::Conflict { paths } => {
                        let files = listed(&paths);
                        Ok(Accepted::Conflict(format!("its work on {name} conflicts with other work in {files}")))
                    }
                    Integrated::Dirty { paths } => {
                        let files = listed(&paths);
                        let message = format!("the work on {name} cannot be merged: {files} changed in the work tree");
                        let help = format!("commit or stash the changes, then run `{}`", self.again);
                        Err(Error::new(ErrorKind::Refused, message).help(help))
                    }
                    Integrated::UpToDate | Integrated::Merged { .. } => {
                        let head = repo.head_id().map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))?.detach();
                        if !is_ancestor(repo, *tip, head)? {
                            let message = format!("{name} is not merged after its merge");
                            return Err(Error::new(ErrorKind::Internal, message));
                        }
                        Ok(Accepted::Complete { base: Some(fork.to_string()), commit: Some(tip.to_string()) })
                    }
                }
            }
            Source::Files { paths, tree } => {
                let prepared = match prepare(repo, &self.request(paths)) {
                    Err(error) if is_of_work(&error) => return Ok(Accepted::Refused(Error::from(error).to_string())),
                    prepared => prepared?,
                };
                let head = repo.head_id().ok().map(gix::Id::detach);
                if head != candidate.onto || prepared.as_ref().map(PreparedCommit::tree) != *tree {
                    return Ok(Accepted::Moved);
                }
                match prepared.map(PreparedCommit::finish).transpose() {
                    Ok(Some(committed)) => Ok(Accepted::Complete {
                        base: head.map(|head| head.to_string()),
                        commit: Some(committed.id.to_string()),
                    }),
                    // Nothing is left to commit: the worker committed its work itself, or a run was killed before the index
                    // followed HEAD.
                    Ok(None) => {
                        restage(repo, CommitSelection::Literal(paths))?;
                        Ok(Accepted::Complete { base: None, commit: head.map(|head| head.to_string()) })
                    }
                    Err(error) if is_of_work(&error) => Ok(Accepted::Refused(Error::from(error).to_string())),
                    Err(error) => Err(error.into()),
                }
            }
        }
    }

    /// Opens a pull request for the branch of a candidate. `None` if there is no work that the checked-out branch does not have.
    ///
    /// # Errors
    /// The run is interrupted, or the repository cannot be read.
    pub fn propose(&self, candidate: &Candidate, title: &str, body: &str) -> Result<Option<Proposed>, Error> {
        let Source::Branch { tip, fork, name, .. } = &candidate.source else { return Ok(None) };
        if tip == fork || has_work(self.workspace.repo()?, *tip)? {
            return Ok(None);
        }
        let request = PullRequest { branch: name, tip: *tip, title, body };
        let again = format!("run `git pull`, then `{}`", self.again);
        let message = match PullRequests::open(self.workspace).and_then(|requests| requests.propose(&request)) {
            Ok(url) => format!("waits for the pull request {url}: merge it, {again}"),
            Err(error) if error.kind == ErrorKind::Interrupted => return Err(error),
            // The work is kept: no further attempt is needed.
            Err(error) => format!("no pull request: {error}; open one for {name}, merge it, {again}"),
        };
        Ok(Some(Proposed { message, base: *fork, commit: *tip }))
    }

    fn request<'p>(&'p self, paths: &'p [BString]) -> CommitRequest<'p> {
        CommitRequest {
            selection: CommitSelection::Literal(paths),
            message: &self.commit_message,
            hooks: self.workspace.env.git_hooks,
        }
    }
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

/// The last commit of an attempt's branch; `None` if the branch does not exist.
///
/// # Errors
/// The branch cannot be read.
pub(crate) fn branch_tip(repo: &gix::Repository, branch: &str) -> Result<Option<ObjectId>, Error> {
    let failed = |e: gix::Error| Error::new(ErrorKind::Internal, format!("{branch} cannot be read: {e}"));
    let name = format!("refs/heads/{branch}");
    let Some(mut reference) = repo.try_find_reference(name.as_str()).map_err(failed)? else { return Ok(None) };
    Ok(Some(reference.peel_to_id().map_err(failed)?.detach()))
}
